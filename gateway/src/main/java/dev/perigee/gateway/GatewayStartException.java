package dev.perigee.gateway;

/** A gateway cannot start. The message says why and what to do next, for people. */
public final class GatewayStartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    GatewayStartException(String message) {
        super(message);
    }

    GatewayStartException(String message, Throwable cause) {
        super(message, cause);
    }
}
