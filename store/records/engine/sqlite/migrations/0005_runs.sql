-- What runs of a scenario are made from. Scenarios that only traces name have none of it.
alter table scenarios add column path text;
alter table scenarios add column source text;
alter table scenarios add column compiled text;
alter table scenarios add column missing integer not null default 0 check (missing in (0, 1));
alter table scenarios add column synced_at integer;

create table runs (
  id text primary key,
  org_id text not null references orgs (id) on delete cascade,
  type text not null check (type in ('pr', 'schedule', 'manual', 'shadow_diff')),
  status text not null check (status in ('queued', 'running', 'passed', 'failed', 'error', 'aborted')),
  scenario_id text not null references scenarios (id) on delete cascade,
  scenario_slug text not null,
  region text not null,
  base_url text,
  -- Traces go before their runs do; a run without its trace still tells how it ended.
  trace_id text,
  trigger text not null,
  attempt integer not null default 1,
  parent_run_id text,
  -- JSON objects, or null.
  pr text,
  affected_scenarios text,
  -- JSON: the compiled scenario as it was then, and what else the runner is told.
  plan text not null,
  scheduled_at integer not null,
  started_at integer,
  ended_at integer,
  duration_ms integer not null default 0,
  error_reason text,
  error_message text
) strict;
create index runs_by_org on runs (org_id, id desc);
create index runs_by_type on runs (org_id, type, id desc);
create index runs_by_status on runs (org_id, status, id desc);
create index runs_by_scenario on runs (org_id, scenario_id, id desc);
create index runs_by_trace on runs (trace_id) where trace_id is not null;
create index runs_by_parent on runs (parent_run_id) where parent_run_id is not null;

create table run_logs (
  run_id text not null references runs (id) on delete cascade,
  seq integer not null,
  ts integer not null,
  level text not null,
  message text not null,
  step_id text,
  primary key (run_id, seq)
) strict, without rowid;
