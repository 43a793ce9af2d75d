import { AppError } from "../http/errors.ts";
import { createSemaphore } from "../platform/semaphore.ts";

/** Characters of a password at least, and its UTF-8 bytes at most. */
export const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_BYTES = 1_000;

/** Hashes passwords with Argon2id (RFC 9106), few at once: each takes 64 MiB. */
export interface Passwords {
  /** @throws AppError `rate_limited` when too many wait */
  hash(password: string): Promise<string>;
  /**
   * Whether it is the password of that hash. Without a hash the answer is no, and takes as long.
   * @throws AppError `rate_limited` when too many wait
   */
  isRight(hash: string | null, password: string): Promise<boolean>;
  /** How many hashes were compared so far. */
  comparisons(): number;
}

const AT_ONCE = 2;
const MOST_WAITING = 50;
/** What a hash takes: KiB and passes. */
export interface PasswordCost {
  memoryCost: number;
  timeCost: number;
}

/** More than OWASP asks for. */
const COST: PasswordCost = { memoryCost: 65_536, timeCost: 2 };

export function createPasswords(cost: PasswordCost = COST): Passwords {
  const argon = { algorithm: "argon2id", ...cost } as const;
  const slots = createSemaphore(AT_ONCE, () => new Error("The server is shutting down."));
  const never = new AbortController().signal;
  let waiting = 0;
  let comparisons = 0;
  let decoy: Promise<string> | null = null;

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (waiting >= MOST_WAITING)
      throw new AppError("rate_limited", "Too many sign-ins at once; try again in a moment.", {
        headers: { "retry-after": "2" },
      });
    waiting += 1;
    try {
      return await slots.run("", never, work);
    } finally {
      waiting -= 1;
    }
  }

  return {
    hash: (password) => inTurn(() => Bun.password.hash(normal(password), argon)),
    async isRight(hash, password) {
      decoy ??= Bun.password.hash("nobody has this one", argon);
      const against = hash ?? (await decoy);
      const isSame = await inTurn(() => {
        comparisons += 1;
        return Bun.password.verify(normal(password), against);
      });
      return hash !== null && isSame;
    },
    comparisons: () => comparisons,
  };
}

/** What is wrong with a new password, in words; null for a good one. */
export function passwordFault(password: string, email: string): string | null {
  const length = [...normal(password)].length;
  if (length < MIN_PASSWORD_LENGTH)
    return `A password has at least ${MIN_PASSWORD_LENGTH} characters; this one has ${length}.`;
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES)
    return `A password has at most ${MAX_PASSWORD_BYTES} bytes in UTF-8.`;
  if (password.toLowerCase() === email.toLowerCase()) return "The password must not be the address itself.";
  if (new Set(password).size < 4) return "A password needs at least 4 different characters.";
  return null;
}

/** Keyboards write the same letter in several ways (NIST SP 800-63B, section 3.1.1.2). */
const normal = (password: string): string => password.normalize("NFKC");
