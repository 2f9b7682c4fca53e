package dev.holdfast.engine.sparse.internal.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.FencedReplica;
import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHistory;
import dev.holdfast.engine.sparse.internal.replica.ReplicaIdentity;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A link that is abandoned because a control call failed, while it may still deliver replies. */
class GivenUpLinkTest {
  private final List<String> events = new ArrayList<>();

  private static FencedReplica fenced() {
    return new FencedReplica(
        new ReplicaIdentity("id", "vol", "r"),
        new ReplicaHistory(
            new Token(0, 0), Epoch.NONE, true, "boot", new BitSet(), Map.of(), true, false),
        "boot",
        "incarnation",
        1L << 20,
        false,
        false,
        "");
  }

  /** The first link answers no control call. */
  private ReplicaSessionLink link(long session) {
    return (ReplicaSessionLink)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {ReplicaSessionLink.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "fenced" -> fenced();
                  case "equals" -> proxy == arguments[0];
                  case "mark" -> {
                    if (session == 1) {
                      throw new StorageException(ErrorCode.UNREACHABLE, "no answer");
                    }
                    yield null;
                  }
                  case "close" -> {
                    events.add("closed " + session);
                    yield null;
                  }
                  default -> null;
                });
  }

  @Test
  void linkIsClosedBeforeAnotherIsMade() throws Exception {
    MemberClock clock =
        new MemberClock() {
          @Override
          public long nanoTime() {
            return 0;
          }

          @Override
          public void later(Duration delay, Runnable action) {}
        };
    ReplicaLinks links =
        (location, token, timeout, listener) -> {
          events.add("linked " + token.session());
          return link(token.session());
        };
    RemoteMember member =
        RemoteMember.fence(
            new ReplicaLocation("vol", "r", "far", Path.of("/disk"), "r"),
            new Token(1, 1),
            new RemoteMember.Surroundings(links, Runnable::run, clock, Duration.ofSeconds(30)));
    member.mark(new BitSet());
    assertThat(events).containsExactly("linked 1", "closed 1", "linked 2");
  }
}
