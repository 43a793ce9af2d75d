import type { CloneUse } from "../language/ast.ts";

export type CloneService = CloneUse["service"];
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What a clone knows, by key (`messages/1`, `payment_intents/pi_clone_1`): the world that a run acts on. */
export type CloneState = Record<string, Json>;

/** An entry that was made (`before` null), changed or removed (`after` null). */
export interface CloneChange {
  key: string;
  before: Json;
  after: Json;
}

export interface CloneRequest {
  /** Upper case. */
  method: string;
  /** As it was asked for: the third party's own address, or one below the clone's. */
  url: URL;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: Uint8Array;
  /** Ends a request that waits. */
  signal: AbortSignal;
}

export interface CloneResponse {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array | string;
}

/**
 * A stand-in for a third party, within this process. It belongs to one run alone: it begins empty and ends with it.
 */
export interface Clone {
  readonly service: CloneService;
  /** What `${clones.<name>}` stands for: `payments.url`, `email.smtp`, … */
  readonly addresses: Record<string, string>;
  /** A copy of everything that it knows. */
  state(): CloneState;
  /**
   * Puts it back to a state that it had; what that changes is told like every change.
   * @param more `isExpected`: the target may still tell anew what is put back now, and then that counts: a mail that comes
   * late takes the place of the one that is put back, and who waits for mails waits for it
   */
  restore(state: CloneState, more?: { isExpected: boolean }): void;
  /** Answers a request as the third party would. Never throws: bad input is answered with the party's own errors. */
  handle(request: CloneRequest): Promise<CloneResponse>;
  /** Is told every change, in order, from now on. */
  onChange(listener: (change: CloneChange) => void): void;
  /** Stops listening. A second call does nothing. */
  close(): Promise<void>;
}

/** What a request over the network brought to a clone's own address, and how it was answered. */
export interface CloneExchange {
  request: CloneRequest;
  response: CloneResponse;
  durationMs: number;
}

export type OnExchange = (exchange: CloneExchange) => void;
