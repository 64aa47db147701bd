package dev.perigee.local.replay;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Search for the first of some versions that behaves in another way than the first of all. As many
 * trials as the number of versions has binary digits, and one. Where behaviour changes and changes
 * back, one of the changes is found. Pure, but for the trials.
 */
public final class Bisection {
    private Bisection() {}

    /** Tries a version. */
    public interface Trial {
        /** Whether it behaves in another way than the first. */
        boolean isChanged(String version) throws InterruptedException;
    }

    /**
     * Two neighbours.
     *
     * @param last the last version that is as the first
     * @param changed the one behind it
     */
    public record Found(String last, String changed) {}

    /**
     * Searches.
     *
     * @param versions in their order, at least one; the first is not tried
     * @return null when the last version is as the first
     */
    public static @Nullable Found search(List<String> versions, Trial trial)
            throws InterruptedException {
        int same = 0;
        int changed = versions.size() - 1;
        if (changed == 0 || !trial.isChanged(versions.get(changed))) {
            return null;
        }
        while (changed - same > 1) {
            int middle = (same + changed) >>> 1;
            if (trial.isChanged(versions.get(middle))) {
                changed = middle;
            } else {
                same = middle;
            }
        }
        return new Found(versions.get(same), versions.get(changed));
    }
}
