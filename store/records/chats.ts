import { type Selectable, sql } from "kysely";
import type { ChatTables } from "./chat-schema.ts";
import type { Db } from "./db.ts";
import { insertLimited } from "./limited.ts";
import { isTaken } from "./outcome.ts";

export type ChatRow = Selectable<ChatTables["chats"]>;
export type ChatMessageRow = Selectable<ChatTables["chat_messages"]>;
export type ChatToolCallRow = Selectable<ChatTables["chat_tool_calls"]>;

/** @param most how many a trace may have; false when it has them */
export function insertChat(db: Db, row: ChatRow, most: number): Promise<boolean> {
  const among = sql<boolean>`trace_id = ${row.trace_id}`;
  return insertLimited(db, "chats", row, { most, among, onConflict: sql`` });
}

export async function findChat(db: Db, id: string): Promise<ChatRow | null> {
  return (await db.selectFrom("chats").selectAll().where("id", "=", id).executeTakeFirst()) ?? null;
}

/** A trace's chats, newest first, with the number of messages of each. */
export async function chatsOf(db: Db, traceId: string): Promise<(ChatRow & { messages: number })[]> {
  const rows = await db
    .selectFrom("chats")
    .selectAll()
    .select((select) =>
      select
        .selectFrom("chat_messages")
        .whereRef("chat_messages.chat_id", "=", "chats.id")
        .select((count) => count.fn.countAll<number>().as("count"))
        .as("messages"),
    )
    .where("trace_id", "=", traceId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
  return rows.map((row) => ({ ...row, messages: Number(row.messages) }));
}

export async function removeChat(db: Db, id: string): Promise<void> {
  await db.deleteFrom("chats").where("id", "=", id).execute();
}

/** The messages of a chat, oldest first. */
export async function messagesOf(db: Db, chatId: string): Promise<ChatMessageRow[]> {
  return db
    .selectFrom("chat_messages")
    .selectAll()
    .where("chat_id", "=", chatId)
    .orderBy("position")
    .execute();
}

/** The calls of all answers of a chat, in their order within each answer. */
export async function toolCallsOf(db: Db, chatId: string): Promise<ChatToolCallRow[]> {
  return db
    .selectFrom("chat_tool_calls")
    .innerJoin("chat_messages", "chat_messages.id", "chat_tool_calls.message_id")
    .selectAll("chat_tool_calls")
    .where("chat_messages.chat_id", "=", chatId)
    .orderBy("chat_messages.position")
    .orderBy("chat_tool_calls.position")
    .execute();
}

/**
 * Adds messages behind the others.
 * @returns false when an answer is being written, or somebody adds at the same moment
 */
export async function addMessages(
  db: Db,
  chatId: string,
  rows: readonly Omit<ChatMessageRow, "chat_id" | "position">[],
): Promise<boolean> {
  const position = sql<number>`(select coalesce(max(position), -1) + 1 from chat_messages where chat_id = ${chatId})`;
  try {
    for (const row of rows)
      await db
        .insertInto("chat_messages")
        .values({ ...row, chat_id: chatId, position })
        .execute();
    return true;
  } catch (error) {
    if (isTaken(db, error)) return false;
    throw error;
  }
}

export type AnswerChange = Partial<
  Pick<ChatMessageRow, "content" | "state" | "microcents" | "step_ids" | "server_id">
>;

/** Changes an answer that is being written; one that has ended stays as it is. */
export async function changeAnswer(db: Db, id: string, change: AnswerChange): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("chat_messages")
    .set(change)
    .where("id", "=", id)
    .where("state", "=", "answering")
    .executeTakeFirst();
  return numUpdatedRows > 0;
}

export async function insertToolCall(db: Db, row: ChatToolCallRow): Promise<void> {
  await db.insertInto("chat_tool_calls").values(row).execute();
}

export async function changeChat(
  db: Db,
  id: string,
  change: Partial<Pick<ChatRow, "title" | "updated_at">>,
): Promise<void> {
  await db.updateTable("chats").set(change).where("id", "=", id).execute();
}
