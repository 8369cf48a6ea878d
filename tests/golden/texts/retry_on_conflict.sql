begin
    declare exit handler for sqlstate '2D521'
    begin
        declare tries int default 1;
        while tries < 10 do
            begin
                declare exit handler for sqlstate '2D521' set tries = tries + 1;
                delete from t where a = 'x;';
                set tries = 100;
            end;
        end while;
        if tries < 100 then
            delete from t where a = 'x;';
        end if;
    end;
    delete from t where a = 'x;';
end
