package dev.holdfast.backup.internal;

import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.backuptarget.CredentialKey;
import dev.holdfast.backuptarget.ForwardingObjectStore;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.backuptarget.testkit.FaultyObjectStore;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import java.time.Clock;
import java.util.List;
import java.util.Map;

/** Targets {@code mem://any}, which are all one store in memory. */
final class MemoryTargets implements BackupTargetProvider {
  static final String URL = "mem://target";

  final MemoryObjectStore store = new MemoryObjectStore(Clock.systemUTC());
  volatile FaultyObjectStore.Plan plan = (call, key) -> {};

  /** Returns targets of this kind only. */
  InstalledTargets installed() {
    InstalledTargets targets = new InstalledTargets();
    targets.addProvider(this);
    return targets;
  }

  @Override
  public List<String> schemes() {
    return List.of("mem");
  }

  @Override
  public List<CredentialKey> credentials() {
    return List.of();
  }

  @Override
  public ObjectStore open(TargetUrl url, Map<String, byte[]> credentials, StoreOptions options) {
    ObjectStore shared =
        new ForwardingObjectStore(store) {
          @Override
          public void close() {
            // The content stays.
          }
        };
    return new FaultyObjectStore(shared, (call, key) -> plan.before(call, key));
  }
}
