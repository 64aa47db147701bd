// Compiled, to see that the types of the client are whole and strict.
import {Client, NoAnswer, partition, type InputRequired, type InputResponses, type ToolResult} from 'perigee-client';

export async function echo(broker: string): Promise<string> {
  const client = await Client.connect({brokers: [broker], callEvents: true});
  try {
    for await (const {event} of await client.follow(['status'])) if (event?.status === 'online') break;
    const onProgress = ({progress}: {progress: number}): void => console.log(progress.toFixed());
    const answer: ToolResult = await client.call('t1', 'u1', 'sample:echo', {message: 'hi'}, {timeoutMs: 1_000, onProgress});
    const onInput = async ({requests}: InputRequired): Promise<InputResponses> => {
      const responses: InputResponses = {};
      for (const [name, request] of Object.entries(requests)) {
        if (request.method === 'elicitation/create') responses[name] = {action: 'accept', content: {said: request.params.message}};
        else responses[name] = {role: 'assistant', model: 'm', content: request.params.messages.at(-1)?.content};
      }
      // @ts-expect-error: there is no such action
      responses['x'] = {action: 'perhaps'};
      return responses;
    };
    await client.call('t1', 'u1', 'sample:ask', {}, {onInput, onInputRefused: (question, {error}) => console.log(question.input_id, error?.code)});
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
