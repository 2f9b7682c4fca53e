package dev.holdfast.engine.sparse.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.FencedReplica;
import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHistory;
import dev.holdfast.engine.sparse.internal.replica.ReplicaIdentity;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests in flight when a link is lost. */
class SentAgainTest {
  private static final int BLOCK = 4096;

  private final List<String> events = new ArrayList<>();
  private final List<MemberCompletion> sent = new ArrayList<>();
  private final List<ReplicaLinks.Listener> watches = new ArrayList<>();
  private RemoteMember member;
  private String incarnation = "first";

  private FencedReplica fenced() {
    return new FencedReplica(
        new ReplicaIdentity("id", "vol", "r"),
        new ReplicaHistory(
            new Token(0, 0), Epoch.NONE, true, "boot", new BitSet(), Map.of(), true, false),
        "boot",
        incarnation,
        1L << 20,
        false,
        false,
        "");
  }

  /** Returns a link that records its requests, and replies only when a test completes them. */
  private ReplicaSessionLink link(long session) {
    FencedReplica told = fenced();
    return (ReplicaSessionLink)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {ReplicaSessionLink.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "fenced" -> told;
                  case "equals" -> proxy == arguments[0];
                  case "write" -> noted(session + " write " + arguments[0], arguments[4]);
                  case "sync" -> noted(session + " sync", arguments[0]);
                  default -> null;
                });
  }

  private Object noted(String event, Object completion) {
    events.add(event);
    sent.add((MemberCompletion) completion);
    return null;
  }

  @BeforeEach
  void fence() throws Exception {
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
    ReplicaLinks links =
        (location, token, timeout, listener) -> {
          watches.add(listener);
          return link(token.session());
        };
    member =
        RemoteMember.fence(
            new ReplicaLocation("vol", "r", "far", Path.of("/disk"), "r"),
            new Token(1, 1),
            new RemoteMember.Surroundings(links, Runnable::run, clock, Duration.ofSeconds(30)));
  }

  private void write(int block) {
    member.write(
        (long) block * BLOCK,
        ByteBuffer.allocate(BLOCK),
        0,
        BLOCK,
        (failure, done) -> events.add("answered " + block + (failure == null ? "" : " failed")));
  }

  private void loseLink() {
    watches
        .get(watches.size() - 1)
        .lost(new StorageException(ErrorCode.UNREACHABLE, "connection reset"));
  }

  @Test
  void unansweredRequestsAreSentOverTheNextLinkInOrder() {
    for (int block = 0; block < 4; block++) {
      write(block);
    }
    sent.get(1).completed(null, BLOCK);
    sent.get(3).completed(null, BLOCK);
    events.clear();
    loseLink();
    assertThat(events).containsExactly("2 write 0", "2 write 8192");
    write(5);
    sent.get(5).completed(null, BLOCK);
    events.clear();
    loseLink();
    assertThat(events).containsExactly("3 write 0", "3 write 20480");
    sent.get(sent.size() - 2).completed(null, BLOCK);
    sent.get(sent.size() - 1).completed(null, BLOCK);
    assertThat(events).endsWith("answered 0", "answered 5");
    events.clear();
    loseLink();
    assertThat(events).isEmpty();
  }

  @Test
  void syncIsNotSentAgainToAnotherProcess() {
    write(0);
    member.sync((failure, done) -> events.add(failure == null ? "synced" : "not synced"));
    events.clear();
    incarnation = "second";
    loseLink();
    assertThat(events).containsExactly("answered 0 failed", "not synced");
    assertThat(member.works()).isFalse();
  }

  @Test
  void writeIsSentAgainToAnotherProcessOfTheSameBoot() {
    write(0);
    events.clear();
    incarnation = "second";
    loseLink();
    assertThat(events).containsExactly("2 write 0");
    assertThat(member.works()).isTrue();
  }
}
