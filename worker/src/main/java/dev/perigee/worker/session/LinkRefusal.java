package dev.perigee.worker.session;

import dev.perigee.protocol.link.LinkError;

/** Error response to a request on the link. The message says what to do next. */
final class LinkRefusal extends Exception {
    private static final long serialVersionUID = 1;

    private final LinkError error;

    LinkRefusal(LinkError error, String message) {
        super(message, null, false, false);
        this.error = error;
    }

    LinkError error() {
        return error;
    }
}
