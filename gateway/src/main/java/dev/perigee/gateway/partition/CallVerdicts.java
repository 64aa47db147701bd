package dev.perigee.gateway.partition;

import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolResult;

/** What comes of a call on its way, told on the owner's thread. */
final class CallVerdicts implements ServerWait.Outcome, CallSender.Verdict {
    private final CallFlow calls;

    CallVerdicts(CallFlow calls) {
        this.calls = calls;
    }

    @Override
    public void found(ToolCall call) {
        calls.send(call);
    }

    @Override
    public void accepted(ToolCall call) {
        calls.awaitResult(call);
    }

    @Override
    public void answered(ToolCall call, ToolResult result) {
        var error = result.error();
        boolean unknown = error != null && error.code() == ErrorCode.UNKNOWN_SERVER;
        if (unknown && calls.isBeingRestored(call)) {
            calls.putAside(call);
        } else if (call.possibleRuns() > 0 && call.read().method() == ToolMethod.TOOLS_CALL) {
            calls.answer(call, OwnAnswer.REFUSED);
        } else {
            calls.answer(call, result);
        }
    }

    @Override
    public void refused(ToolCall call, OwnAnswer own) {
        calls.answer(call, own);
    }

    @Override
    public void notRun(ToolCall call) {
        calls.send(call);
    }

    @Override
    public void unsure(ToolCall call) {
        calls.unsure(call);
    }

    @Override
    public void lost(ToolCall call) {
        calls.lost(call);
    }
}
