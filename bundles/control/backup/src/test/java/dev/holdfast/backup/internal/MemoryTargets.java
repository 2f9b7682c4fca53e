package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.LockTiming;
import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.backuptarget.CredentialKey;
import dev.holdfast.backuptarget.ForwardingObjectStore;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.ObjectVisitor;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Targets {@code mem://any}. All share one store in memory, except an empty one. */
public final class MemoryTargets implements BackupTargetProvider {
  /** Address of the target with content. */
  public static final String URL = "mem://target";

  static final String EMPTY_URL = "mem://empty";
  static final String TOKEN = "TOKEN";

  /** The content of all targets except the empty one. */
  public final MemoryObjectStore store;

  /** Plan that fails calls of the targets. */
  public volatile FaultyObjectStore.Plan plan = (call, key) -> {};

  /** Locks are admitted without a delay, because a store in memory shows a put at once. */
  TransferOptions options = new TransferOptions(new NoPauses(), 2);

  /** Wraps the store that a target opens. */
  volatile UnaryOperator<ObjectStore> wrap = opened -> opened;

  /** Timing of locks without waits. */
  static final class NoPauses implements LockTiming {
    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public void pause(Duration time) {}
  }

  /** Keys of objects that lists omit. */
  volatile Predicate<String> hidden = key -> false;

  /** The secrets of the node, by their names. */
  final Map<String, Map<String, byte[]>> secrets = new ConcurrentHashMap<>();

  /** The token that the targets require; empty for none. */
  volatile String token = "";

  /** Creates targets with the clock of the machine. */
  public MemoryTargets() {
    this(Clock.systemUTC());
  }

  /** Creates targets with a given clock. */
  MemoryTargets(Clock clock) {
    store = new MemoryObjectStore(clock);
  }

  /** Returns an object with only this plugin. */
  public InstalledTargets installed() {
    InstalledTargets targets = new InstalledTargets(options);
    targets.addProvider(this);
    targets.addSecrets(name -> Optional.ofNullable(secrets.get(name)), Map.of());
    return targets;
  }

  @Override
  public List<String> schemes() {
    return List.of("mem");
  }

  @Override
  public List<CredentialKey> credentials() {
    return List.of(new CredentialKey(TOKEN, true, "A password."));
  }

  @Override
  public ObjectStore open(TargetUrl url, Map<String, byte[]> credentials, StoreOptions options)
      throws StorageException {
    byte[] given = credentials.getOrDefault(TOKEN, new byte[0]);
    if (!Arrays.equals(given, token.getBytes(StandardCharsets.UTF_8))) {
      throw new StorageException(ErrorCode.FORBIDDEN, "target " + URL + ": another token");
    }
    ObjectStore shared =
        new ForwardingObjectStore(content(url)) {
          @Override
          public void list(String prefix, String after, ObjectVisitor visitor)
              throws StorageException {
            super.list(
                prefix,
                after,
                object -> {
                  if (!hidden.test(object.key())) {
                    visitor.object(object);
                  }
                });
          }

          @Override
          public void close() {
            // The content stays.
          }
        };
    return wrap.apply(new FaultyObjectStore(shared, (call, key) -> plan.before(call, key)));
  }

  private MemoryObjectStore content(TargetUrl url) {
    return EMPTY_URL.startsWith(url.scheme() + "://" + url.authority())
        ? new MemoryObjectStore(Clock.systemUTC())
        : store;
  }
}
