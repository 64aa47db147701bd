package dev.perigee.worker.session;

import dev.perigee.protocol.limit.BudgetShare;
import dev.perigee.protocol.limit.ByteBudget;
import java.util.HashMap;
import java.util.Map;

/**
 * The arguments of all requests that run on a worker, in one budget of which each user has a share.
 * Pure; its owner holds a lock.
 */
final class RunningArguments {
    /** What each user may have open whatever others do. */
    static final int ALLOWANCE_BYTES = 64 << 10;

    private final ByteBudget budget;
    private final Map<User, BudgetShare> shares = new HashMap<>();

    private record User(String teamId, String userId) {
        static User of(RequestId request) {
            return new User(request.teamId(), request.userId());
        }
    }

    RunningArguments(ByteBudget budget) {
        this.budget = budget;
    }

    /** Whether there is room for a request's arguments. */
    boolean fits(RequestId request, long bytes) {
        var share = shares.get(User.of(request));
        return (share == null ? new BudgetShare(budget, ALLOWANCE_BYTES) : share).fits(bytes);
    }

    void take(RequestId request, long bytes) {
        shares.computeIfAbsent(User.of(request), _ -> new BudgetShare(budget, ALLOWANCE_BYTES))
                .take(bytes);
    }

    void give(RequestId request, long bytes) {
        var user = User.of(request);
        var share = shares.get(user);
        if (share != null) {
            share.give(bytes);
            if (share.held() == 0) {
                shares.remove(user);
            }
        }
    }
}
