import { type HostModel, iso, type ModelCheckRun, showCheckRun, showComment, showPull } from "./model.ts";

/** What an operation answers: status and body. */
export interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Asked {
  /** Of the path. */
  values: Record<string, string>;
  query: URLSearchParams;
  body: Record<string, unknown>;
  /** Who asks, as the host calls them. */
  login: string;
  now: number;
  /** The address of the request, without its query. */
  url: string;
}

const ok = (body: unknown): Reply => ({ status: 200, body });
const created = (body: unknown): Reply => ({ status: 201, body });
const missing: Reply = { status: 404, body: { message: "Not Found" } };
const refused = (message: string): Reply => ({
  status: 422,
  body: { message: "Validation Failed", errors: [{ message }] },
});

/** The host lists so many changed files of a comparison. */
const COMPARED = 300;
const LONGEST = 65_535;

/** One page of a list, with the `link` header (RFC 8288) when there is a next one. */
function page(all: readonly unknown[], { query, url }: Asked): Reply {
  const size = Number(query.get("per_page") ?? 30);
  const number = Number(query.get("page") ?? 1);
  const next = new URLSearchParams(query);
  next.set("page", String(number + 1));
  return {
    status: 200,
    body: all.slice((number - 1) * size, number * size),
    headers: all.length > number * size ? { link: `<${url}?${next}>; rel="next"` } : {},
  };
}

type Answer = (asked: Asked) => Reply | Promise<Reply>;

/** What each operation of the host does, by method and path as the description writes them. */
export function hostRoutes(
  model: HostModel,
  redeliver: (id: string) => Promise<boolean>,
): Record<string, Answer> {
  const { repository } = model;
  const repo = "/repos/{owner}/{repo}";
  const pullOf = (number: unknown) => model.pulls.find((one) => one.number === Number(number));

  function writeCheckRun(run: ModelCheckRun, body: Record<string, unknown>): Reply | null {
    const output = (body.output ?? {}) as Record<string, unknown>;
    for (const field of ["summary", "text"])
      if (String(output[field] ?? "").length > LONGEST) return refused(`${field} is too long`);
    if (body.status === "completed" && !body.conclusion) return refused("conclusion is missing");
    run.annotations.push(...((output.annotations ?? []) as Record<string, unknown>[]));
    run.writes.push(body);
    Object.assign(run, {
      name: body.name ?? run.name,
      status: body.status ?? run.status,
      conclusion: body.conclusion ?? run.conclusion,
      external_id: body.external_id ?? run.external_id,
      details_url: body.details_url ?? run.details_url,
      output: { ...run.output, ...output },
    });
    return null;
  }

  return {
    [`get ${repo}`]: () => ok({ full_name: model.fullName, default_branch: "main" }),
    [`get ${repo}/pulls`]: (asked) => {
      const [, branch] = asked.query.get("head")?.split(/:(.*)/) ?? [];
      const state = asked.query.get("state") ?? "open";
      const found = model.pulls
        .filter((one) => (state === "all" || one.state === state) && (!branch || one.headRef === branch))
        .toReversed();
      return page(
        found.map((one) => showPull(model, one)),
        asked,
      );
    },
    [`get ${repo}/pulls/{pull_number}`]: ({ values }) => {
      const pull = pullOf(values.pull_number);
      return pull ? ok(showPull(model, pull)) : missing;
    },
    [`post ${repo}/pulls`]: ({ body, login, now }) => {
      const head = String(body.head);
      const headSha = repository.head(head);
      if (headSha === null) return refused("head does not exist");
      if (repository.head(String(body.base)) === null) return refused("base does not exist");
      if (model.pulls.some((one) => one.headRef === head && one.state === "open"))
        return refused(`A pull request already exists for ${model.fullName.split("/")[0]}:${head}.`);
      const pull = {
        number: model.nextId++,
        title: String(body.title),
        body: body.body === undefined ? null : String(body.body),
        author: login,
        state: "open" as const,
        isMerged: false,
        isDraft: body.draft === true,
        headRef: head,
        headSha,
        headRepository: model.fullName,
        baseRef: String(body.base),
        updatedAt: now,
      };
      model.pulls.push(pull);
      return created(showPull(model, pull));
    },
    // Of a commit that lies in a fork the host knows no pull request here.
    [`get ${repo}/commits/{commit_sha}/pulls`]: (asked) =>
      page(
        model.pulls
          .filter((one) => one.headSha === asked.values.commit_sha && one.headRepository === model.fullName)
          .map((one) => showPull(model, one)),
        asked,
      ),
    [`get ${repo}/compare/{basehead}`]: ({ values }) => {
      const [base, head] = values.basehead!.split("...") as [string, string];
      const files = repository.compare(base, head);
      if (files === null) return missing;
      return ok({
        merge_base_commit: { sha: repository.mergeBase(base, head) },
        files: files.slice(0, COMPARED).map((one) => ({ ...one, sha: null })),
      });
    },
    [`get ${repo}/git/commits/{commit_sha}`]: ({ values }) => {
      const tree = repository.treeOf(values.commit_sha!);
      return tree === null ? missing : ok({ sha: values.commit_sha, tree: { sha: tree } });
    },
    [`get ${repo}/git/trees/{tree_sha}`]: ({ values, query }) => {
      const tree = repository.tree(values.tree_sha!, query.has("recursive"));
      return tree === null ? missing : ok({ sha: values.tree_sha, truncated: false, tree });
    },
    [`get ${repo}/git/blobs/{file_sha}`]: ({ values }) => {
      const text = repository.blob(values.file_sha!);
      if (text === null) return missing;
      const content = Buffer.from(text).toString("base64").replace(/.{60}/g, "$&\n");
      return ok({ sha: values.file_sha, content, encoding: "base64", size: Buffer.byteLength(text) });
    },
    [`get ${repo}/git/ref/{ref}`]: ({ values }) => {
      const sha = repository.resolve(`refs/${values.ref}`);
      return sha === null ? missing : ok({ ref: `refs/${values.ref}`, object: { type: "commit", sha } });
    },
    [`post ${repo}/git/refs`]: ({ body }) => {
      const ref = String(body.ref);
      if (repository.resolve(ref) !== null) return refused("Reference already exists");
      repository.setRef(ref, String(body.sha));
      return created({ ref, object: { type: "commit", sha: body.sha } });
    },
    [`post ${repo}/git/trees`]: ({ body }) => {
      const entries = body.tree as { path: string; mode: string; sha?: string | null; content?: string }[];
      const sha = repository.writeTree(
        (body.base_tree as string | undefined) ?? null,
        entries.map((one) => ({
          path: one.path,
          mode: one.mode,
          sha: one.content === undefined ? (one.sha ?? null) : repository.writeBlob(one.content),
        })),
      );
      return created({ sha, truncated: false, tree: repository.tree(sha, false) });
    },
    [`post ${repo}/git/commits`]: ({ body }) => {
      const sha = repository.commitTree(String(body.tree), body.parents as string[], String(body.message));
      return created({ sha, tree: { sha: body.tree } });
    },
    [`get ${repo}/deployments`]: (asked) =>
      page(
        model.deployments
          .filter(({ sha }) => !asked.query.has("sha") || sha === asked.query.get("sha"))
          .map((one) => ({ id: one.id, sha: one.sha, production_environment: one.isProduction }))
          .toReversed(),
        asked,
      ),
    [`get ${repo}/deployments/{deployment_id}/statuses`]: (asked) => {
      const one = model.deployments.find(({ id }) => id === Number(asked.values.deployment_id));
      return one ? page([{ id: 1, state: one.state, environment_url: one.url ?? "" }], asked) : missing;
    },
    [`post ${repo}/check-runs`]: ({ body }) => {
      const run: ModelCheckRun = {
        ...{ id: model.nextId++, name: String(body.name), head_sha: String(body.head_sha) },
        ...{ status: "queued", conclusion: null, external_id: null, details_url: null },
        output: { title: null, summary: null, text: null },
        ...{ annotations: [], writes: [] },
      };
      const wrong = writeCheckRun(run, body);
      if (wrong) return wrong;
      model.checkRuns.push(run);
      return created(showCheckRun(run));
    },
    [`get ${repo}/commits/{ref}/check-runs`]: (asked) => {
      const found = model.checkRuns.filter(({ head_sha }) => head_sha === asked.values.ref);
      const { body, ...reply } = page(found.map(showCheckRun), asked);
      return { ...reply, body: { total_count: found.length, check_runs: body } };
    },
    [`patch ${repo}/check-runs/{check_run_id}`]: ({ values, body }) => {
      const run = model.checkRuns.find(({ id }) => id === Number(values.check_run_id));
      if (!run) return missing;
      return writeCheckRun(run, body) ?? ok(showCheckRun(run));
    },
    [`get ${repo}/issues/{issue_number}/comments`]: (asked) =>
      page(
        model.comments.filter(({ number }) => number === Number(asked.values.issue_number)).map(showComment),
        asked,
      ),
    [`post ${repo}/issues/{issue_number}/comments`]: ({ values, body, login }) => {
      const number = Number(values.issue_number);
      if (!pullOf(number)) return missing;
      if (String(body.body).length > LONGEST + 1) return refused("body is too long");
      const one = { id: model.nextId++, number, login, body: String(body.body), writes: 1 };
      model.comments.push(one);
      return created(showComment(one));
    },
    [`patch ${repo}/issues/comments/{comment_id}`]: ({ values, body }) => {
      const one = model.comments.find(({ id }) => id === Number(values.comment_id));
      if (!one) return missing;
      one.body = String(body.body);
      one.writes += 1;
      return ok(showComment(one));
    },
    // By cursor, newest first.
    "get /app/hook/deliveries": ({ query, url }) => {
      const all = model.deliveries.toReversed();
      const size = Number(query.get("per_page") ?? 30);
      const from = query.has("cursor") ? all.findIndex(({ id }) => id === query.get("cursor")) : 0;
      const after = all[from + size];
      return {
        status: 200,
        body: all.slice(from, from + size).map((one) => ({
          // More than a number holds exactly: the server writes the digits in its place.
          id: Number(one.id),
          guid: one.guid,
          delivered_at: iso(one.deliveredAt),
          redelivery: one.isRedelivery,
          status: one.status === 0 ? "timed out" : "OK",
          status_code: one.status,
          event: one.event,
          action: one.action,
        })),
        headers: after
          ? { link: `<${url}?per_page=${size}&cursor=${after.id}>; rel="next"` }
          : ({} as Record<string, string>),
      };
    },
    "post /app/hook/deliveries/{delivery_id}/attempts": async ({ values }) =>
      (await redeliver(values.delivery_id!)) ? { status: 202, body: {} } : missing,
  };
}
