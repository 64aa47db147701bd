package dev.perigee.worker.process.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("TEN-04: whether servers get users of their own")
final class IdentitySearchTest {
    private static final List<String> HOST = List.of("         0          0 4294967295");
    private static final List<String> POD = List.of("         0     589824      65536");
    private static final long ALL = -1;

    @TempDir private Path caches;

    @BeforeEach
    void pass() throws Exception {
        Files.setPosixFilePermissions(caches, PosixFilePermissions.fromString("rwx--x--x"));
    }

    private IdentitySearch search(String setting, HostRights rights, Path root) {
        var none = new SubordinateIds("worker", 10001, root, List.of(), root);
        return new IdentitySearch(setting, rights, none, new CacheLayout(root));
    }

    private Identities find(String setting, int user, List<String> map, long capabilities) {
        var extents = HostRights.extents(map);
        var rights = new HostRights(user, extents, extents, capabilities);
        return search(setting, rights, caches).find();
    }

    private static IdRange range(Identities found) {
        assertThat(found).isInstanceOf(Identities.Own.class);
        assertThat(found.gaps()).isEmpty();
        return ((Identities.Own) found).ids().range();
    }

    @Test
    void rootOfAHostHasThem() {
        assertThat(range(find("auto", 0, HOST, ALL)).toString()).isEqualTo("1900000000-1900065535");
        assertThat(range(find("300000-300009", 0, HOST, ALL)).homes()).isEqualTo(9);
    }

    @Test
    void rootOfAContainerWithUsersOfItsOwnHasThem() {
        assertThat(range(find("auto", 0, POD, ALL)).toString()).isEqualTo("20000-59999");
    }

    @Test
    void othersHaveNone() {
        assertThat(find("none", 0, HOST, ALL).gaps())
                .containsExactly("an identity for each server: isolation.ids=none");
        assertThat(find("auto", 10001, HOST, 0).gaps().getFirst())
                .contains("neither root nor", "usermod --add-subuids 100000-165535");
        assertThat(find("auto", 0, HOST, ALL & ~(1L << 19)).gaps().getFirst())
                .contains("lacks CAP_SYS_PTRACE");
        assertThat(find("auto", 0, List.of("0 1000 1"), ALL).gaps().getFirst())
                .contains("has not so many ids");
    }

    @Test
    void whatIsAskedForAndCannotBeHadIsAnError() {
        assertThatThrownBy(() -> find("100000-165535", 0, POD, ALL))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("isolation.ids=100000-165535 is asked for")
                .hasMessageContaining("isolation.ids=auto");
    }

    @Test
    void homesThatOthersDoNotReachAreSaid() throws Exception {
        Files.setPosixFilePermissions(caches, PosixFilePermissions.fromString("rwx------"));
        var below = caches.resolve("below");
        var extents = HostRights.extents(HOST);
        var found = search("auto", new HostRights(0, extents, extents, ALL), below);
        assertThat(found.find().gaps().getFirst()).contains("chmod o+x " + caches.toRealPath());
    }

    @Test
    void aUserWithSubordinateIdsHasThem() {
        var mapped =
                List.of("         0       1001          1", "         1     100000      65535");
        assertThat(range(find("auto", 0, mapped, ALL)).toString()).isEqualTo("20000-59999");
    }

    @Test
    void rangesAreNumbers() {
        for (var wrong : List.of("", "5", "9-5", "5-5", "0-9", "-1-5", "1-2147483647", "a-b")) {
            assertThat(IdentitySearch.accepts(wrong)).as(wrong).isFalse();
        }
        assertThat(IdRange.parse("200000-265535")).isEqualTo(new IdRange(200000, 265535));
    }
}
