package dev.perigee.worker.mcp;

import java.util.function.Supplier;

/** What a client passes on, on the launcher's thread: no method may block. */
public interface McpListener {

    /** The server's list of tools is another one now. */
    void onToolsChanged();

    /**
     * The server wrote something that is no message, described for the log if it is wanted; quotes
     * the server.
     */
    void onGarbage(Supplier<String> what);
}
