-- What people ask about a trace, and what was answered.
CREATE TABLE chats (
  id TEXT PRIMARY KEY,
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  trace_id TEXT NOT NULL REFERENCES traces (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX chats_of_trace ON chats (trace_id, created_at, id);
CREATE INDEX chats_of_org ON chats (org_id);

CREATE TABLE chat_messages (
  id TEXT PRIMARY KEY,
  chat_id TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
  content TEXT NOT NULL,
  -- `answering` while it is written; of an answer that is `cut` or `failed` stays what was said until then.
  state TEXT NOT NULL CHECK (state IN ('answering', 'done', 'cut', 'failed')),
  -- The model that answered; null for the built-in analyst and for questions.
  model TEXT,
  -- What it cost, in millionths of a cent.
  microcents INTEGER NOT NULL,
  -- JSON array.
  step_ids TEXT NOT NULL,
  -- The server that writes it, which after its death writes no more.
  server_id TEXT,
  created_at INTEGER NOT NULL,
  UNIQUE (chat_id, position)
) STRICT;
-- One answer at a time.
CREATE UNIQUE INDEX chat_messages_answering ON chat_messages (chat_id) WHERE state = 'answering';

-- What an answer looked at, in the order of the calls.
CREATE TABLE chat_tool_calls (
  id TEXT PRIMARY KEY,
  message_id TEXT NOT NULL REFERENCES chat_messages (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  -- JSON.
  arguments TEXT NOT NULL,
  -- JSON.
  result TEXT NOT NULL,
  duration_ms INTEGER NOT NULL,
  ok INTEGER NOT NULL CHECK (ok IN (0, 1)),
  UNIQUE (message_id, position)
) STRICT;

-- What an org's questions to the model cost in a calendar month, UTC; what is reserved for a question under way included.
CREATE TABLE model_spending (
  org_id TEXT NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
  -- Its first moment, epoch milliseconds.
  month INTEGER NOT NULL,
  -- Millionths of a cent.
  microcents INTEGER NOT NULL,
  PRIMARY KEY (org_id, month)
) STRICT, WITHOUT ROWID;
