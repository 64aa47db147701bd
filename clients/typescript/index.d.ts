/** Where the fleet is. */
export interface ClientOptions {
  /** Brokers, as host:port. */
  brokers: string[];
  /** What names of topics begin with; "mcp." unless it is given. */
  prefix?: string;
  /** More of kafkajs' own options, such as ssl and sasl. */
  kafka?: Record<string, unknown>;
}

/** The fields of an installation; more are in the reference of topics and records. */
export interface Installation {
  installation_id: string;
  server_slug: string;
  team_id: string;
  team_slug: string;
  user_id: string;
  user_slug: string;
  transport_type: 'stdio' | 'http' | 'sse';
  command?: string;
  args?: string[];
  env?: Record<string, string>;
  url?: string;
  headers?: Record<string, string>;
  [field: string]: unknown;
}

/** What became of a command. */
export interface CommandResult {
  outcome: 'completed' | 'failed' | 'expired' | 'rejected';
  result?: {resulting_status?: string; [field: string]: unknown};
  error?: {code: string; message?: string; [field: string]: unknown};
  [field: string]: unknown;
}

/** The one answer to a call. */
export interface ToolResult {
  request_id: string;
  /** success and tool_error are the server's; failed is the fleet's, and error says why. */
  outcome: 'success' | 'tool_error' | 'failed';
  result?: unknown;
  /** Where retryable is true the call surely did not run. */
  error?: {code: string; message?: string; retryable?: boolean; [field: string]: unknown};
  [field: string]: unknown;
}

export interface CommandOptions {
  /** Milliseconds until the command expires, and until NoAnswer; 60,000 unless it is given. */
  timeoutMs?: number;
  /** Of a command that may have been sent before: it does not run a second time. */
  commandId?: string;
}

export interface CallOptions {
  /** Milliseconds that the fleet has; NoAnswer comes five seconds later. 30,000 unless it is given. */
  timeoutMs?: number;
  /** Of a call that may have been sent before: it does not run a second time. */
  requestId?: string;
}

/** The deadline passed. What was asked may have run, and its result may still come. */
export class NoAnswer extends Error {}

/**
 * Sends commands and tool requests and waits for their terminal results, up to 10,000 open at a time. One for a process: it has a
 * producer and a consumer. A result that is repeated counts once.
 */
export class Client {
  /** Connects, and reads results from then on. Rejects when no broker answers or a topic is missing. */
  static connect(options: ClientOptions): Promise<Client>;
  /** Installs a server, or changes it; the result's result.resulting_status says what it is now. */
  configure(config: Installation, options?: CommandOptions): Promise<CommandResult>;
  /** Sends a command. */
  command(commandType: string, teamId: string, userId: string, payload: Record<string, unknown>, options?: CommandOptions): Promise<CommandResult>;
  /** Calls a tool, named SERVER_SLUG:TOOL. */
  call(teamId: string, userId: string, toolPath: string, args?: Record<string, unknown>, options?: CallOptions): Promise<ToolResult>;
  /** Ends it; what is still open rejects. */
  close(): Promise<void>;
}

/** The process partition of a user's servers, of so many, as Kafka's Java client computes it. */
export function partition(teamId: string, userId: string, partitions: number): number;
