package dev.perigee.protocol.access;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.server.Response;

/** Request over HTTP/1.1 that is answered before its body was read. */
public final class UnreadRequest {
    private UnreadRequest() {}

    /**
     * Says in a response that is not begun that its connection ends, where what is left of the
     * request has not come yet: Jetty closes such a connection, and a client that does not know
     * sends its next request on it and loses it. Never waits.
     */
    public static void announceClose(Response response) {
        if (!response.getRequest().consumeAvailable()) {
            response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
        }
    }
}
