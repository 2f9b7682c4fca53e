package dev.holdfast.engine.sparse.internal.members;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.FragileDirectories;
import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import dev.holdfast.engine.sparse.internal.replica.Token;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A replica on this node that alternates between being one of several members and being the only
 * one.
 */
class TimedMemberTest {
  @TempDir private Path disk;
  private final List<Runnable> elsewhere = new ArrayList<>();
  private final List<String> ended = new ArrayList<>();
  private final FragileDirectories directories =
      new FragileDirectories(FragileDirectories.noneBroken());
  private ReplicaLocation location;
  private ReplicaHost host;
  private TimedMember member;

  @BeforeEach
  void fence() throws Exception {
    location = new ReplicaLocation("v", "r-1", "n", disk, "v-1");
    new ReplicaStorage().provision(location, 1 << 20);
    host = new ReplicaHost(directories::open, "boot");
    MemberClock clock =
        new MemberClock() {
          @Override
          public long nanoTime() {
            return 0;
          }

          @Override
          public void later(Duration delay, Runnable action) {
            // The clock does not advance.
          }
        };
    member =
        new TimedMember(
            host.fence(location, new Token(1, 1), by -> {}),
            new TimedMember.Surroundings(
                elsewhere::add, clock, Duration.ofSeconds(1), new HungReplicas()));
  }

  private void runElsewhere() {
    List.copyOf(elsewhere).forEach(Runnable::run);
    elsewhere.clear();
  }

  @Test
  void aloneItWorksOnTheCallersThread() {
    member.write(0, ByteBuffer.allocate(4096), 0, 4096, (failure, done) -> ended.add("write"));
    member.endOfBatch();
    assertThat(ended).containsExactly("write");
    assertThat(elsewhere).isEmpty();
  }

  @Test
  void cachedBytesAreReadOnTheCallersThreadBesideOtherMembers() {
    member.attend(true);
    member.read(0, ByteBuffer.allocate(4096), 0, 4096, (failure, done) -> ended.add("read"));
    member.endOfBatch();
    assertThat(ended).containsExactly("read");
    assertThat(elsewhere).isEmpty();
  }

  @Test
  void cachedBytesAreReadOnlyIntoTheirPartOfTheBuffer() {
    member.write(
        4096,
        ByteBuffer.wrap(new byte[] {1, 2, 3, 4}),
        0,
        4,
        (failure, done) -> ended.add("write"));
    member.attend(true);
    ByteBuffer target = ByteBuffer.allocate(8);
    member.read(4096, target, 2, 4, (failure, done) -> ended.add("read " + done));
    assertThat(ended).containsExactly("write", "read 4");
    assertThat(target.array()).containsExactly(0, 0, 1, 2, 3, 4, 0, 0);
  }

  @Test
  void aLargeReadElsewhereFillsItsPartOfTheBufferOnly() {
    byte[] content = new byte[300_000];
    new Random(1).nextBytes(content);
    member.write(
        4096, ByteBuffer.wrap(content), 0, content.length, (failure, done) -> ended.add("write"));
    directories.forget(location.directory());
    member.attend(true);
    ByteBuffer target = ByteBuffer.allocate(content.length + 8);
    member.read(4096, target, 4, content.length, (failure, done) -> ended.add("read " + done));
    member.endOfBatch();
    runElsewhere();
    assertThat(ended).containsExactly("write", "read 300000");
    target.clear();
    assertThat(target.slice(4, content.length)).isEqualTo(ByteBuffer.wrap(content));
    assertThat(target.getInt(0)).isZero();
    assertThat(target.getInt(4 + content.length)).isZero();
  }

  @Test
  void endedSessionReadsNoCachedBytes() throws Exception {
    member.attend(true);
    host.fence(location, new Token(2, 1), by -> {});
    member.read(
        0,
        ByteBuffer.allocate(4096),
        0,
        4096,
        (failure, done) -> ended.add(failure.code().toString()));
    member.endOfBatch();
    runElsewhere();
    assertThat(ended).containsExactly("FORBIDDEN");
  }

  @Test
  void collectedRequestsRunTogetherOnAnotherThreadBesideOtherMembers() {
    directories.forget(location.directory());
    member.attend(true);
    member.write(0, ByteBuffer.allocate(4096), 0, 4096, (failure, done) -> ended.add("write"));
    member.read(0, ByteBuffer.allocate(4096), 0, 4096, (failure, done) -> ended.add("read"));
    assertThat(elsewhere).isEmpty();
    member.endOfBatch();
    assertThat(elsewhere).hasSize(1);
    runElsewhere();
    assertThat(ended).containsExactly("write", "read");
  }

  @Test
  void collectedRequestsRunAlsoWhenOtherMembersLeft() {
    member.attend(true);
    member.sync((failure, done) -> ended.add("sync"));
    member.attend(false);
    member.endOfBatch();
    runElsewhere();
    assertThat(ended).containsExactly("sync");
  }
}
