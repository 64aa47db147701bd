// Compiled, to see that the types of the client are whole and strict.
import {Client, NoAnswer, partition, type ToolResult} from 'perigee-client';

export async function echo(broker: string): Promise<string> {
  const client = await Client.connect({brokers: [broker], callEvents: true});
  try {
    for await (const {event} of await client.follow(['status'])) if (event?.status === 'online') break;
    const onProgress = ({progress}: {progress: number}): void => console.log(progress.toFixed());
    const answer: ToolResult = await client.call('t1', 'u1', 'sample:echo', {message: 'hi'}, {timeoutMs: 1_000, onProgress});
    // @ts-expect-error: there is no such outcome
    if (answer.outcome === 'acknowledged') throw new Error();
    // @ts-expect-error: there is no such topic of events
    await client.follow(['commands']);
    return answer.error?.code ?? answer.outcome;
  } catch (error) {
    return error instanceof NoAnswer && error.mayHaveRun ? error.message : String(partition('t1', 'u1', 8));
  } finally {
    await client.close();
  }
}
