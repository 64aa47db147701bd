package dev.perigee.worker.mcp;

/** What a client passes on, on the launcher's thread: no method may block. */
public interface McpListener {

    /** The server's list of tools is another one now. */
    void onToolsChanged();

    /** The server wrote something that is no message, described for the log; quotes the server. */
    void onGarbage(String what);
}
