package dev.perigee.worker.mcp;

/** What the transport gets to see of a failed exchange; the exchange's end has the reason. */
final class ExchangeFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ExchangeFailedException() {
        super("The HTTP exchange failed", null, false, false);
    }
}
