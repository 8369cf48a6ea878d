package dbt_mview;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.UUID;

import io.delta.storage.S3SingleDriverLogStore;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Delta's log on S3 for several drivers: a commit is a PUT that S3 refuses where the file is there
 * (If-None-Match: *). Delta's own store for S3 keeps out writers of its own JVM only; listing and
 * reading are left to it.
 *
 * <p>Every commit carries an id of its own. S3A sends a PUT again whose answer was lost, and is
 * then refused because of its own file: the id tells that from another driver's commit, which Delta
 * would answer by writing the same rows again as the next version.
 */
public class ConditionalLogStore extends S3SingleDriverLogStore {
    private static final String IF_ABSENT = "fs.option.create.conditional.overwrite";
    private static final String SET_WRITER = "fs.s3a.create.header.dbt-mview-writer";
    private static final String GET_WRITER = "header.dbt-mview-writer";

    public ConditionalLogStore(Configuration conf) {
        super(conf);
    }

    @Override
    public void write(Path path, Iterator<String> actions, Boolean overwrite, Configuration conf)
            throws IOException {
        if (overwrite) {
            super.write(path, actions, true, conf);
            return;
        }
        FileSystem files = path.getFileSystem(conf);
        String writer = UUID.randomUUID().toString();
        FSDataOutputStreamBuilder<?, ?> builder = files.createFile(path);
        // Not a look beforehand: S3 decides at the end. A file system that cannot do it refuses.
        builder.overwrite(true).must(IF_ABSENT, true).must(SET_WRITER, writer);
        FSDataOutputStream commit = builder.build();
        try {
            while (actions.hasNext()) {
                commit.write((actions.next() + "\n").getBytes(StandardCharsets.UTF_8));
            }
        } catch (IOException | RuntimeException | Error failure) {
            commit.abort(); // to close it would commit half of the actions
            throw failure;
        }
        try {
            commit.close();
        } catch (IOException failure) {
            if (!isWrittenBy(writer, files, path, failure)) {
                IOException taken = new FileAlreadyExistsException(path.toString());
                taken.initCause(failure);
                throw taken;
            }
        }
    }

    /** Whether the commit is this writer's, or another's; throws the failure if none is there. */
    private static boolean isWrittenBy(
            String writer, FileSystem files, Path path, IOException failure) throws IOException {
        byte[] found;
        try {
            found = files.getXAttr(path, GET_WRITER);
        } catch (IOException | RuntimeException unknown) {
            failure.addSuppressed(unknown);
            throw failure;
        }
        return Arrays.equals(found, writer.getBytes(StandardCharsets.UTF_8));
    }
}
