package dev.perigee.console;

import dev.perigee.protocol.event.Event;
import dev.perigee.protocol.event.EventBody;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One entry of an instance's history, as sent to a page. All text comes from others. */
sealed interface Entry {
    /** When it happened, by the clock of the worker. */
    Instant at();

    /** Roughly what it holds in memory. */
    int bytes();

    /** What every entry costs besides its text. */
    int OVERHEAD = 160;

    /** A line that the instance wrote. */
    record LogLine(Instant at, String level, String message) implements Entry {
        static LogLine of(EventBody.LogLine line) {
            return new LogLine(
                    line.timestamp(),
                    Text.cut(line.level(), Text.NAME),
                    Text.cut(line.message(), Text.LINE));
        }

        /** In place of lines that the worker dropped. */
        static LogLine of(Instant at, EventBody.LogRateLimitExceeded body) {
            return new LogLine(
                    at,
                    "warn",
                    "%d lines were dropped: more than %d a second"
                            .formatted(body.droppedLines(), body.limitPerSecond()));
        }

        @Override
        public int bytes() {
            return OVERHEAD + 2 * message.length();
        }
    }

    /**
     * A call that was answered.
     *
     * @param params JSON, cut to what a page shows
     * @param response the same
     */
    record Call(
            Instant at,
            String userId,
            String tool,
            @Nullable String params,
            @Nullable String response,
            long responseTimeMs,
            boolean success,
            @Nullable String error)
            implements Entry {
        static Call of(EventBody.RequestLog call) {
            return new Call(
                    call.timestamp(),
                    Text.cut(call.userId(), Text.NAME),
                    Text.cut(call.toolName(), Text.NAME),
                    Text.cut(call.toolParams()),
                    Text.cut(call.toolResponse()),
                    call.responseTimeMs(),
                    call.success(),
                    Text.cutOrNull(call.errorMessage(), Text.LINE));
        }

        @Override
        public int bytes() {
            return OVERHEAD
                    + 2 * (userId.length() + tool.length() + of(params) + of(response) + of(error));
        }

        private static int of(@Nullable String text) {
            return text == null ? 0 : text.length();
        }
    }

    /** A status that the instance had from then on. */
    record StatusPoint(Instant at, String status, @Nullable String message, String workerId)
            implements Entry {
        @Override
        public int bytes() {
            return OVERHEAD + (message == null ? 0 : 2 * message.length());
        }
    }

    /**
     * Something that happened to its process.
     *
     * @param event such as crashed
     * @param detail a sentence
     */
    record Happening(Instant at, String event, @Nullable Long pid, String workerId, String detail)
            implements Entry {
        static Happening of(Event event, String detail) {
            var origin = event.origin();
            return new Happening(
                    origin.timestamp(),
                    event.event().substring(event.event().lastIndexOf('.') + 1),
                    origin.pid(),
                    Text.cut(origin.workerId(), Text.NAME),
                    Text.cut(detail, Text.LINE));
        }

        @Override
        public int bytes() {
            return OVERHEAD + 2 * detail.length();
        }
    }
}
