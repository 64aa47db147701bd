package dev.perigee.worker.mcp;

import dev.perigee.protocol.json.RawJson;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Callbacks of a client, on the launcher's thread: no method may block. */
public interface McpListener {

    /** The server's list of tools is another one now. */
    void onToolsChanged();

    /**
     * The server's list of tools may be another one: what it announced while it had no stream to do
     * so is lost. A list that is being read now is new enough.
     */
    default void onToolsMissed() {
        onToolsChanged();
    }

    /** The server reports progress of a request; its parameters, unread. May come often. */
    default void onProgress(RawJson params) {}

    /** The server logs something; its parameters, unread. May come often. */
    default void onMessage(RawJson params) {}

    /**
     * The server notifies of a list that is another one now, of a resource, or of anything else
     * that has no callback of its own; its parameters, unread. May come often.
     */
    default void onNotice(String method, @Nullable RawJson params) {}

    /**
     * The session or stream that notifications come in began anew: some may be lost, and the server
     * may no longer know what it is to notify of.
     */
    default void onNoticesMissed() {}

    /**
     * A legacy server asks for something; who takes it replies, once.
     *
     * @return why nobody takes it, null where somebody does
     */
    default ServerQuestion.@Nullable Refusal onQuestion(ServerQuestion question) {
        return ServerQuestion.Refusal.NOT_FOUND;
    }

    /** The server gives a question up, by the id it had; of none that is open nothing follows. */
    default void onQuestionWithdrawn(RawJson id) {}

    /** An answer of so many bytes came; it occupies memory until {@link #onTaken}. */
    default void onAnswer(long bytes) {}

    /** The caller has consumed an answer of so many bytes. Any thread. */
    default void onTaken(long bytes) {}

    /** The egress policy refused a connection to the server; for people. May come often. */
    default void onEgressRefused(String what) {}

    /**
     * The server wrote something that is no message, described for the log if it is wanted; quotes
     * the server.
     */
    void onGarbage(Supplier<String> what);
}
