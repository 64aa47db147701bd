// Compiled, to see that the types of the client are whole and strict.
import {Client, NoAnswer, partition, type ToolResult} from 'perigee-client';

export async function echo(broker: string): Promise<string> {
  const client = await Client.connect({brokers: [broker]});
  try {
    const answer: ToolResult = await client.call('t1', 'u1', 'sample:echo', {message: 'hi'}, {timeoutMs: 1_000});
    // @ts-expect-error: there is no such outcome
    if (answer.outcome === 'acknowledged') throw new Error();
    return answer.error?.code ?? answer.outcome;
  } catch (error) {
    return error instanceof NoAnswer ? error.message : String(partition('t1', 'u1', 8));
  } finally {
    await client.close();
  }
}
