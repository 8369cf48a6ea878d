"""What tests share: a dbt project on disk, driven in this process or in processes of its own."""
