package dev.perigee.worker.mcp;

/** Failure of an exchange as the transport sees it; the exchange's end has the reason. */
final class ExchangeFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ExchangeFailedException() {
        super("The HTTP exchange failed", null, false, false);
    }
}
