package dev.perigee.local.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("RPL-06: A bisection")
final class BisectionTest {
    private final List<String> tried = new ArrayList<>();

    private Bisection.@Nullable Found search(int versions, int changed)
            throws InterruptedException {
        tried.clear();
        return Bisection.search(
                IntStream.range(0, versions).mapToObj(Integer::toString).toList(),
                version -> {
                    tried.add(version);
                    return Integer.parseInt(version) >= changed;
                });
    }

    @Test
    @DisplayName("finds the first version that changes, wherever it is, with few trials")
    void finds() throws Exception {
        for (int versions = 2; versions <= 40; versions++) {
            for (int changed = 1; changed < versions; changed++) {
                assertThat(search(versions, changed))
                        .as("%d of %d", changed, versions)
                        .isEqualTo(
                                new Bisection.Found(
                                        Integer.toString(changed - 1), Integer.toString(changed)));
                int digits = 32 - Integer.numberOfLeadingZeros(versions);
                assertThat(tried).hasSizeLessThanOrEqualTo(digits + 1).doesNotHaveDuplicates();
            }
        }
    }

    @Test
    @DisplayName("tries only the last version when nothing changes, and nothing of one version")
    void nothing() throws Exception {
        assertThat(search(20, 20)).isNull();
        assertThat(tried).containsExactly("19");
        assertThat(search(1, 0)).isNull();
        assertThat(tried).isEmpty();
    }

    @Test
    @DisplayName("puts a version where arguments name the package, and nowhere else")
    void pins() {
        var pinned = new PackageVersion("@acme/server", "2.0.0");
        assertThat(pinned.in("@acme/server")).isEqualTo("@acme/server@2.0.0");
        assertThat(pinned.in("@acme/server@1.0.0")).isEqualTo("@acme/server@2.0.0");
        assertThat(pinned.in("@acme/server-other@1.0.0")).isEqualTo("@acme/server-other@1.0.0");
        assertThat(new PackageVersion("tool", "2").in("tool==1")).isEqualTo("tool==2");
        assertThat(PackageVersion.isName("@acme/server")).isTrue();
        assertThat(PackageVersion.isName("--registry=http://evil")).isFalse();
        assertThat(PackageVersion.isName("../server")).isFalse();
        assertThat(PackageVersion.isVersion("1.0.0-beta.1")).isTrue();
        assertThat(PackageVersion.isVersion("1 --x")).isFalse();
    }
}
