"""The tables that tests of FAST read."""

from __future__ import annotations

import pytest

from tests.support.project import Project


@pytest.fixture(scope="module")
def tables(module_project: Project) -> Project:
    """A table of facts and one of dimensions, that nothing reads yet."""
    feed = "using delta tblproperties ('delta.enableChangeDataFeed' = 'true')"
    module_project.sql(
        f"create table @.facts {feed} as select id, cast(id % 10 as int) as k,"
        " cast(id % 37 as decimal(10, 2)) as amt, if(id % 11 = 0, null, concat('s', id % 5)) as s,"
        " date_add(date'2024-01-01', cast(id % 90 as int)) as day from range(600)"
    )
    module_project.sql(
        f"create table @.dims {feed} as"
        " select cast(id as int) as k, concat('d', id % 4) as name from range(60)"
    )
    module_project.sql(
        "create view @.staged as with source as (select * from @.facts), renamed as"
        " (select id, k as customer, amt, day from source) select * from renamed"
    )
    module_project.sql(
        "create view @.joined as with d as (select * from @.dims), f as (select * from @.facts)"
        " select d.name, f.amt, f.id from d left join f on f.k = d.k"
    )
    return module_project
