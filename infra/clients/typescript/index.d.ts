/** Where the fleet is, and how answers come. */
export interface ClientOptions {
  /** Brokers, as host:port. */
  brokers: string[];
  /** What names of topics begin with. Default: "mcp." */
  prefix?: string;
  /**
   * Topic of this backend's own for the answers to its calls, instead of tool-results with everybody's. It must exist and match the gateways'
   * replies.allowed-topics.
   */
  replies?: ReplyTopic;
  /** Reads events of calls, for onProgress, onLog, onInput and onTask. Not needed with `replies`: they come there, too. Default: false */
  callEvents?: boolean;
  /** Options of @platformatic/kafka's clients, such as tls, sasl and clientId. Not kept in errors. */
  kafka?: Record<string, unknown>;
}

export interface ReplyTopic {
  /** Full name, with its prefix. */
  topic: string;
  /** Partition of this instance of the backend, where several share the topic. Default: all are read, and the request's key decides. */
  partition?: number;
}

/** A secret that workers have for the installation's team and user under this name. */
export interface SecretReference {
  ref: string;
}

/** The fields of an installation; more are in the reference of topics and records. */
export interface Installation {
  installation_id: string;
  server_slug: string;
  team_id: string;
  team_slug: string;
  user_id: string;
  user_slug: string;
  transport_type: 'stdio' | 'http' | 'sse' | 'command';
  command?: string;
  args?: string[];
  env?: Record<string, string | SecretReference>;
  url?: string;
  headers?: Record<string, string | SecretReference>;
  [field: string]: unknown;
}

/** The status of a user's instance of an installation. */
export type ServerStatus =
  | 'command_received'
  | 'connecting'
  | 'discovering_tools'
  | 'syncing_tools'
  | 'online'
  | 'restarting'
  | 'offline'
  | 'error'
  | 'requires_reauth'
  | 'permanently_failed';

/** The terminal result of a command. */
export interface CommandResult {
  command_id: string;
  outcome: 'completed' | 'failed' | 'expired' | 'rejected';
  /** resulting_status is missing where the command changes none. */
  result?: {resulting_status?: ServerStatus; [field: string]: unknown};
  error?: {code: string; message?: string; [field: string]: unknown};
  [field: string]: unknown;
}

/** The one terminal answer to a request. */
export interface ToolResult {
  request_id: string;
  /** success and tool_error are the server's; failed is the fleet's, and error says why. */
  outcome: 'success' | 'tool_error' | 'failed';
  /** The server's own JSON. */
  result?: unknown;
  error?: ToolError;
  /** How often the request was sent to the server. */
  attempts?: number;
  duration_ms?: number;
  [field: string]: unknown;
}

export interface ToolError {
  code: string;
  message?: string;
  /** Asking again, under another requestId, does no harm and can succeed. False does not mean that the call ran. */
  retryable?: boolean;
  /** Code and data of the server's own error. */
  server_code?: number;
  data?: unknown;
  [field: string]: unknown;
}

export interface CallProgress {
  request_id: string;
  process_id: string;
  progress: number;
  total?: number;
  message?: string;
  [field: string]: unknown;
}

export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

export interface CallLog {
  request_id: string;
  process_id: string;
  level: LogLevel;
  logger?: string;
  data?: unknown;
  /** Messages before this one that were left out. */
  dropped?: number;
  [field: string]: unknown;
}

/** State of the task that a server made of a running call; a terminal one is not the call's answer, which follows. */
export interface CallTask {
  request_id: string;
  process_id: string;
  task_id: string;
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  status_message?: string;
  [field: string]: unknown;
}

/**
 * A question of a server, whose call waits for the answer. Its words are the server's own, without the configuration's secrets: show who asks, and never
 * let it ask for a password.
 */
export interface InputRequired {
  request_id: string;
  process_id: string;
  server_slug: string;
  team_id: string;
  user_id: string;
  tool_path?: string;
  /** Unlike that of any other question. */
  input_id: string;
  /** What is asked, by a name each. */
  requests: Record<string, InputRequest>;
  /** Until when it may be answered, by the worker's clock. */
  expires_at: string;
  [field: string]: unknown;
}

/** A request of MCP's; its params are as the server wrote them. */
export type InputRequest = ElicitationRequest | SamplingRequest;

/** Something is asked of the user. */
export interface ElicitationRequest {
  method: 'elicitation/create';
  params: {
    message: string;
    /** url: the user is to open an address. Default: form */
    mode?: 'form' | 'url';
    /** Of a form: a JSON Schema of flat fields. */
    requestedSchema?: {type: 'object'; properties: Record<string, Record<string, unknown>>; required?: string[]; [field: string]: unknown};
    url?: string;
    [field: string]: unknown;
  };
}

/** A model's words are asked for. */
export interface SamplingRequest {
  method: 'sampling/createMessage';
  params: {messages: {role: 'user' | 'assistant'; content: unknown}[]; maxTokens?: number; systemPrompt?: string; [field: string]: unknown};
}

/** One response for each of a question's requests, under the same name; 1 MiB at most. */
export type InputResponses = Record<string, ElicitationResponse | SamplingResponse>;

export interface ElicitationResponse {
  action: 'accept' | 'decline' | 'cancel';
  /** Of a form that is accepted: a value for each field. */
  content?: Record<string, string | number | boolean | string[]>;
  _meta?: Record<string, unknown>;
}

export interface SamplingResponse {
  role: 'user' | 'assistant';
  content: unknown;
  model: string;
  stopReason?: string;
  _meta?: Record<string, unknown>;
}

export interface CommandOptions {
  /** Milliseconds until the command expires, and until NoAnswer, 1 to 86,400,000. Default: 60,000 */
  timeoutMs?: number;
  /** Id of the command. One that may have been sent before, within 24 hours, does not run a second time. Default: a new one */
  commandId?: string;
  priority?: string;
  correlationId?: string;
  /** Ends the wait; what was sent runs nevertheless. */
  signal?: AbortSignal;
}

export interface CallOptions {
  /** Milliseconds that the fleet has from the record's append, 1 to 86,400,000. NoAnswer comes five seconds later, and with onInput by longestInputMs. Default: 30,000 */
  timeoutMs?: number;
  /** Id of the request. One that may have been sent before, within ten minutes, does not run a second time. Default: a new one */
  requestId?: string;
  /** Where the user has two installations of one server. */
  installationId?: string;
  /**
   * Progress of the running call, the newest, at most four in a second, each once, until the answer; in the server's order, which a reply topic may not
   * keep. Called where records are read: it must not wait. What it throws ends the wait.
   */
  onProgress?: (progress: CallProgress) => void;
  /** Messages that the server logs while the call runs; as onProgress. */
  onLog?: (message: CallLog) => void;
  /** Has the call run as a task where its server can, and is told of the task's states; as onProgress. */
  onTask?: (task: CallTask) => void;
  /** Least level of messages. Default: all that the server sends */
  logLevel?: LogLevel;
  /** Each progress moves the deadline to so many milliseconds from then. */
  extendOnProgressMs?: number;
  /** How far the deadline moves at most, in milliseconds from the record's append. Default: an hour */
  maxTimeoutMs?: number;
  /**
   * Answers what the server asks while the call runs, each question once, several at a time and 100 in all. Gives one response for each of the question's
   * requests; undefined leaves the question to another's `respond`, or to its expiry, by which the call ends with input_timeout. May take its time: the
   * call's deadline stands still. What it throws ends the wait. The signal aborts when the call has its answer or is not waited for any more: what is given
   * after that is not sent.
   */
  onInput?: (question: InputRequired, signal: AbortSignal) => InputResponses | undefined | Promise<InputResponses | undefined>;
  /**
   * Is told of responses that do not count, with the reason in the answer's error, such as because others were sooner, or because they are not what was
   * asked for. Nothing is sent again. What it throws ends the wait.
   */
  onInputRefused?: (question: InputRequired, answer: ToolResult) => void | Promise<void>;
  /** Milliseconds that a question may wait. Needs onInput. Default: five minutes */
  inputTimeoutMs?: number;
  /** Milliseconds that all questions of the call may wait together, which is what the gateways' request.longest-input allows. Default: an hour */
  longestInputMs?: number;
  /** Becomes part of _meta of the MCP request, 16 KiB at most. */
  meta?: Record<string, unknown>;
  /** W3C trace context, which is passed through. */
  traceparent?: string;
  /** Ends the wait, and cancels the call where it may be running. */
  signal?: AbortSignal;
}

export interface RespondOptions {
  /** Milliseconds that the responses may be on their way, 1 to 86,400,000. NoAnswer comes five seconds later. Default: 30,000 */
  timeoutMs?: number;
  /** Id of the responses' request, as of a call. Default: a new one */
  requestId?: string;
  /** Ends the wait; what was sent may count nevertheless. */
  signal?: AbortSignal;
}

/** Fields of a request besides those that options have. */
export interface RequestFields {
  tool_path?: string;
  arguments?: unknown;
  query?: string;
  limit?: number;
  [field: string]: unknown;
}

export type Method =
  | 'tools/call'
  | 'tools/list'
  | 'tools/search'
  | 'resources/list'
  | 'resources/templates/list'
  | 'resources/read'
  | 'resources/subscribe'
  | 'resources/unsubscribe'
  | 'prompts/list'
  | 'prompts/get'
  | 'completion/complete'
  | 'tasks/get'
  | 'tasks/list'
  | 'tasks/cancel';

export type EventTopic = 'status' | 'lifecycle' | 'logs' | 'request-logs' | 'server-events' | 'tools' | 'catalog' | 'usage';

/** A record of one of these topics. */
export interface Followed {
  topic: EventTopic;
  processId: string;
  /** null: the instance was uninstalled. */
  event: ServerEvent | null;
}

/** An event of a server; fields beyond these depend on its kind, as in the reference of topics and records. */
export interface ServerEvent {
  /** Such as "mcp.server.status_changed". */
  event: string;
  process_id: string;
  timestamp: string;
  status?: ServerStatus;
  [field: string]: unknown;
}

/** The next offset of each partition, by "TOPIC-PARTITION". */
export type Positions = Record<string, string>;

export interface FollowOptions {
  /** 'end': what comes from now on. 'beginning': all that is kept. A time: from then on. A feed's positions: behind those. Default: 'end' */
  from?: 'end' | 'beginning' | Date | Positions;
  /** Ends the feed. */
  signal?: AbortSignal;
}

/** The deadline passed without an answer. The answer may still come: who asks again with the same id, within ten minutes, gets it. */
export class NoAnswer extends Error {
  /** False where the request was never sent: it surely did not and will not run. */
  readonly mayHaveRun: boolean;
}

/** No broker answered until the deadline, or the client was closed. */
export class Unreachable extends Error {
  /** False where the request was never sent: it surely did not and will not run. */
  readonly mayHaveRun: boolean;
}

/** The broker or the client says no: a topic is missing, a right or a credential, a record is too large, or 10,000 of a kind are open or 64 MiB wait. */
export class Refused extends Error {}

/**
 * Sends commands and tool requests and waits for their terminal results, up to 10,000 open at a time, and as many questions of servers that are being
 * answered. One for a program: it has two connections to each broker. It needs no consumer group.
 *
 * The first answer to a request counts; repeats of it, and events that come twice, are left out. A broker that is away is waited for until the deadline,
 * and what it did not acknowledge is sent again, under the same id, so that it runs once.
 */
export class Client {
  private constructor();
  /**
   * Connects, and reads answers from then on.
   * @throws {Unreachable} when no broker answers within ten seconds
   * @throws {Refused} when a topic is missing, or a right
   */
  static connect(options: ClientOptions): Promise<Client>;
  /**
   * Installs a server, or changes it, and waits: the result's result.resulting_status says what it is then.
   * @throws {NoAnswer} @throws {Unreachable} @throws {Refused}
   */
  configure(config: Installation, options?: CommandOptions): Promise<CommandResult>;
  /**
   * Sends a command and waits for its terminal result, whatever it is.
   * @param userId "*" for every user of the team: one result comes for all
   * @throws {NoAnswer} @throws {Unreachable} @throws {Refused} @throws {TypeError} for an id that is none
   */
  command(commandType: string, teamId: string, userId: string, payload: Record<string, unknown>, options?: CommandOptions): Promise<CommandResult>;
  /**
   * Calls a tool and waits for its one answer, whatever it is.
   * @param toolPath SERVER_SLUG:TOOL
   * @throws {NoAnswer} @throws {Unreachable} @throws {Refused} @throws {TypeError} for an id that is none
   */
  call(teamId: string, userId: string, toolPath: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>;
  /** The user's tools, in `result`; errors as of `call`. */
  tools(teamId: string, userId: string, options?: CallOptions): Promise<ToolResult>;
  /** Any request but a cancellation; deadline and errors as of `call`. */
  request(method: Method, teamId: string, userId: string, fields?: RequestFields, options?: CallOptions): Promise<ToolResult>;
  /**
   * Answers a question of a running call, whoever waits for that: a call with onInput does it by itself.
   * @returns success, or failed with invalid_request and the reason, such as that it was answered before
   * @throws {NoAnswer} @throws {Unreachable} @throws {Refused}
   */
  respond(question: InputRequired, responses: InputResponses, options?: RespondOptions): Promise<ToolResult>;
  /**
   * Asks for the end of a call, whoever sent it; resolves when the broker has that, within five seconds. The call's own answer says what became of it.
   * @throws {NoAnswer} @throws {Unreachable} @throws {Refused} @throws {TypeError} for an id that is none
   */
  cancel(teamId: string, userId: string, requestId: string): Promise<void>;
  /**
   * Follows what servers do. Waits no longer than it takes to find out where the topics end.
   * @throws {Unreachable} @throws {Refused}
   */
  follow(topics: EventTopic[], options?: FollowOptions): Promise<EventFeed>;
  /** Ends it, after what is being sent, five seconds at most. What is open rejects with Unreachable. Feeds are closed by themselves. */
  close(): Promise<void>;
}

/**
 * Events of servers, those of one process in order. One that is repeated comes once: of the last 50,000 the ids are known. For one consumer, which
 * holds up the reading where it is behind by 1,000 events or 16 MiB.
 */
export class EventFeed implements AsyncIterableIterator<Followed> {
  private constructor();
  /** Why nothing comes now; undefined while brokers answer. */
  readonly failure: Error | undefined;
  /** Behind what `next` has given. Kept by the backend, and given as `from`, they go on there. */
  readonly positions: Positions;
  /** Waits for the next one. */
  next(): Promise<IteratorResult<Followed, undefined>>;
  return(): Promise<IteratorResult<Followed, undefined>>;
  [Symbol.asyncIterator](): this;
  close(): Promise<void>;
}

/** The process partition of a user's servers, of so many: murmur2 of the key, as Kafka's Java client has it. */
export function partition(teamId: string, userId: string, partitions: number): number;
