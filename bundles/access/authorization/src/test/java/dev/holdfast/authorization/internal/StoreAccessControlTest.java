package dev.holdfast.authorization.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.AccessToken;
import dev.holdfast.access.AccessTokenSpec;
import dev.holdfast.access.Caller;
import dev.holdfast.access.TokenSecret;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.ForwardingResourceStore;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Decisions while the store is away, and the use of tokens. */
class StoreAccessControlTest {
  private static final Instant NOW = Instant.parse("2026-11-28T12:00:00Z");

  private final Broken store = new Broken();
  private final StoreAccessControl control =
      new StoreAccessControl(store, Clock.fixed(NOW, ZoneOffset.UTC));

  /** A store that can be away, and that counts lists. */
  private static final class Broken extends ForwardingResourceStore {
    private volatile boolean away;
    private volatile int lists;

    Broken() {
      super(new MemoryResourceStore());
    }

    @Override
    public synchronized <R extends Resource<R>> ResourceList<R> list(
        ResourceKind<R> kind, LabelSelector selector) throws StorageException {
      lists++;
      if (away) {
        throw new StorageException(ErrorCode.UNREACHABLE, "away");
      }
      return super.list(kind, selector);
    }
  }

  @AfterEach
  void close() {
    control.close();
  }

  private String token(String name, String role) throws StorageException {
    TokenSecret secret = TokenSecret.random();
    AccessToken created =
        store.create(
            AccessToken.of(
                name, AccessTokenSpec.EMPTY.withRole(role).withSecretHash(secret.hash())));
    assertThat(created.spec().secretHash()).doesNotContain(secret.text());
    return secret.text();
  }

  @Test
  void tokensAreJudgedOnceTheStoreWasRead() throws Exception {
    String token = token("t", "view");
    store.away = true;
    control.readNow();
    assertThatThrownBy(() -> control.callerOf(token))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE));
    AccessRequest request = AccessRequest.of("delete", "volumes", "", "v", Map::of);
    assertThat(control.decide(Caller.ADMINISTRATOR, request).allowed()).isTrue();
    assertThat(control.decide(Caller.ANONYMOUS, request).allowed()).isFalse();

    store.away = false;

    await(
        () -> {
          try {
            return control.callerOf(token).isPresent();
          } catch (StorageException e) {
            return false;
          }
        });
  }

  @Test
  void knownTokensStayValidWhileTheStoreIsUnreachable() throws Exception {
    String token = token("t", "view");
    control.readNow();
    store.away = true;
    Caller caller = control.callerOf(token).orElseThrow();
    AccessRequest read = AccessRequest.of("list", "volumes", "", "", Map::of);
    assertThat(control.decide(caller, read).allowed()).isTrue();
  }

  @Test
  void knownTokensReadNoStoreAndUnknownOnesReadItSeldom() throws Exception {
    String token = token("t", "view");
    control.readNow();
    int before = store.lists;
    for (int i = 0; i < 1000; i++) {
      assertThat(control.callerOf(token)).isPresent();
      assertThat(control.callerOf("hf_wrong")).isEmpty();
    }
    assertThat(store.lists).isEqualTo(before);
    for (int i = 0; i < 1000; i++) {
      assertThat(control.callerOf(TokenSecret.random().text())).isEmpty();
    }
    assertThat(store.lists - before).isEqualTo(20);
  }

  @Test
  void useOfATokenIsWrittenToItsStatus() throws Exception {
    Caller caller = Caller.ofToken("t", "view");
    String token = token("t", "view");
    control.readNow();
    assertThat(control.callerOf(token)).contains(caller);
    assertThat(control.used(caller, "192.0.2.1")).isTrue();
    assertThat(control.used(caller, "192.0.2.1")).isFalse();
    assertThat(control.used(caller, "192.0.2.2")).isTrue();
    assertThat(control.used(Caller.ADMINISTRATOR, "192.0.2.2")).isFalse();
    await(
        () -> {
          try {
            return store
                .get(AccessToken.KIND, "t")
                .orElseThrow()
                .status()
                .lastUsedFrom()
                .equals("192.0.2.1");
          } catch (StorageException e) {
            throw new IllegalStateException(e);
          }
        });
    assertThat(store.get(AccessToken.KIND, "t").orElseThrow().status().lastUsedAt()).contains(NOW);
  }

  private static void await(BooleanSupplier condition) {
    Instant limit = Instant.now().plus(Duration.ofSeconds(30));
    while (!condition.getAsBoolean()) {
      assertThat(Instant.now()).isBefore(limit);
      Thread.onSpinWait();
    }
  }
}
