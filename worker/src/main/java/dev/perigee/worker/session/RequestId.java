package dev.perigee.worker.session;

import dev.perigee.protocol.tool.ToolRequest;

/** A request's id within its user's: two users may choose the same. */
record RequestId(String teamId, String userId, String requestId) {
    static RequestId of(ToolRequest request) {
        return new RequestId(request.teamId(), request.userId(), request.requestId());
    }

    /** The same as one text, which takes less when it is kept: no part has a slash. */
    String text() {
        return teamId + '/' + userId + '/' + requestId;
    }
}
