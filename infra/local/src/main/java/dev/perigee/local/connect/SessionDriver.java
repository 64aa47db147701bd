package dev.perigee.local.connect;

import dev.perigee.protocol.json.RawJson;
import java.io.IOException;
import java.util.List;

/**
 * Transport-free half of a connection: hands the inputs of one session to it, and carries out what
 * it asks for. For one thread; waits only where its outlet does.
 */
final class SessionDriver {
    private final McpSession session;
    private final FleetCalls calls;
    private final Outlet outlet;
    private final int mostBytes;

    /** Way to the client. */
    interface Outlet {
        void send(Action.Send send) throws IOException;

        /** Called when no reply comes to the request with this id. */
        default void end(RawJson id) {}

        /** Called when a call of the request with this id is being cancelled. */
        default void cancel(String requestId, RawJson id) {}

        /** Called when a call is over, cancelled or not. */
        default void ended(String requestId) {}

        /** Called when all that follows from one input was sent. */
        void flush() throws IOException;
    }

    /**
     * A driver of one session.
     *
     * @param mostBytes of a message of the client; longer ones come without their bytes
     */
    SessionDriver(McpSession session, FleetCalls calls, Outlet outlet, int mostBytes) {
        this.session = session;
        this.calls = calls;
        this.outlet = outlet;
        this.mostBytes = mostBytes;
    }

    /** Takes one. */
    void take(Input input) throws IOException {
        for (var action : actions(input)) {
            switch (action) {
                case Action.Send send -> outlet.send(send);
                case Action.End(var id) -> outlet.end(id);
                case Action.Call(var request, var patience) -> calls.begin(request, patience);
                case Action.Cancel(var requestId, var about) -> {
                    outlet.cancel(requestId, about);
                    calls.cancel(requestId);
                }
                case Action.Respond(var question, var responses) ->
                        calls.respond(question, responses);
            }
        }
        outlet.flush();
    }

    private List<Action> actions(Input input) {
        return switch (input) {
            case Input.Received(var line) -> {
                var bytes = line.bytes();
                yield bytes == null ? session.receivedTooMuch(mostBytes) : session.received(bytes);
            }
            case Input.Closed() -> session.ended();
            case Input.Offered(var offer) -> session.offered(offer);
            case Input.Happened(var event) -> session.happened(event);
            case Input.Answered(var answer) -> {
                outlet.ended(answer.requestId());
                yield session.answered(answer);
            }
            case Input.Unanswered(var requestId, var code, var message) -> {
                outlet.ended(requestId);
                yield session.unanswered(requestId, code, message);
            }
            case Input.Failed _ -> List.of();
        };
    }
}
