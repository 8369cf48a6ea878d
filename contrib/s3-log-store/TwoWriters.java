package dbt_mview;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

import io.delta.storage.LogStore;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * Two JVMs commit the same versions of one table at the same time. Arguments: the class of the log
 * store, a directory that is not there yet, how many versions. Settings are -Dfs.s3a.*.
 *
 * <p>Exits with 0 where each version was confirmed to one of them, and holds what that one wrote.
 */
public class TwoWriters {
    private static final int LINES = 20;
    private final LogStore store;
    private final Configuration conf = new Configuration();
    private final Path table;

    private TwoWriters(String store, String table) throws Exception {
        System.getProperties().forEach((name, value) -> {
            if (name.toString().startsWith("fs.")) conf.set(name.toString(), value.toString());
        });
        this.store = (LogStore) Class.forName(store)
                .getConstructor(Configuration.class).newInstance(conf);
        this.table = new Path(table, "_delta_log");
        this.table.getFileSystem(conf).mkdirs(this.table);
    }

    private Path version(int number) {
        return new Path(table, String.format("%020d.json", number));
    }

    private static List<String> actions(String writer) {
        return IntStream.range(0, LINES).mapToObj(line -> writer + " " + line).toList();
    }

    /** Whether the store confirms that this writer's commit is that version. */
    private boolean commits(int number, String writer) throws Exception {
        try {
            store.write(version(number), actions(writer).iterator(), false, conf);
            return true;
        } catch (FileAlreadyExistsException taken) {
            return false;
        }
    }

    private List<String> read(int number) throws Exception {
        List<String> lines = new ArrayList<>();
        for (Iterator<String> found = store.read(version(number), conf); found.hasNext();) {
            lines.add(found.next());
        }
        return lines;
    }

    public static void main(String[] args) throws Exception {
        TwoWriters me = new TwoWriters(args[0], args[1]);
        if (args.length > 3) {
            me.obey();
            return;
        }
        int rounds = Integer.parseInt(args[2]);
        List<String> command = new ArrayList<>(
                List.of(ProcessHandle.current().info().command().orElseThrow()));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(TwoWriters.class.getName(), args[0], args[1], args[2], "obey"));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader answers = process.inputReader();
                PrintStream orders = new PrintStream(process.getOutputStream(), true)) {
            System.exit(me.race(rounds, answers, orders) ? 0 : 1);
        } finally {
            process.destroyForcibly();
        }
    }

    /** The second writer: commits the version that each line of its input names. */
    private void obey() throws Exception {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            System.out.println(commits(Integer.parseInt(order), "second"));
        }
    }

    /** The first writer, which also counts. */
    private boolean race(int rounds, BufferedReader answers, PrintStream orders) throws Exception {
        int first = 0, second = 0, both = 0, neither = 0, lost = 0;
        answers.readLine();
        for (int round = 0; round < rounds; round++) {
            orders.println(round);
            boolean mine = commits(round, "first");
            boolean others = Boolean.parseBoolean(answers.readLine());
            first += mine && !others ? 1 : 0;
            second += others && !mine ? 1 : 0;
            both += mine && others ? 1 : 0;
            neither += !mine && !others ? 1 : 0;
            List<String> found = read(round);
            lost += mine && !found.equals(actions("first")) ? 1 : 0;
            lost += others && !found.equals(actions("second")) ? 1 : 0;
        }
        System.out.printf("%d versions: %d confirmed to the first, %d to the second, %d to both,"
                + " %d to none; %d confirmed commits are not there%n",
                rounds, first, second, both, neither, lost);
        return first + second == rounds && lost == 0;
    }
}
