-- Replays of a trace from one of its steps. They go with their source; what they made is a trace of its own.
create table replays (
  id text primary key,
  org_id text not null references orgs (id) on delete cascade,
  trace_id text not null references traces (id) on delete cascade,
  replay_trace_id text,
  status text not null check (status in ('queued', 'running', 'succeeded', 'failed')),
  from_step integer not null,
  -- api, viewer, …
  triggered_via text not null,
  -- JSON: the compiled scenario, the edits, and what else the runner is told.
  plan text not null,
  has_edits integer not null check (has_edits in (0, 1)),
  created_at integer not null,
  started_at integer,
  ended_at integer,
  error_reason text,
  error_message text
) strict;
create index replays_by_trace on replays (trace_id, id desc);
create index replays_by_status on replays (status, id);
