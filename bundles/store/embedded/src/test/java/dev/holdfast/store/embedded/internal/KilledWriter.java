package dev.holdfast.store.embedded.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import java.util.Random;

/**
 * The process that {@link KillTest} kills: writes as fast as it can from several threads and prints
 * {@code <version> <name> <value>} for each acknowledged write; the value is {@code -} for a
 * deletion, whose version the caller does not receive (0).
 */
final class KilledWriter {
  private static final int THREADS = 4;
  private static final int NAMES = 5;

  private KilledWriter() {}

  public static void main(String[] arguments) throws Exception {
    EmbeddedResourceStore store =
        new EmbeddedResourceStore(Path.of(arguments[0]), Clock.systemUTC(), KillTest.KEPT);
    for (int i = 0; i < THREADS; i++) {
      int writer = i;
      Random random = new Random(Long.parseLong(arguments[1]) * THREADS + writer);
      new Thread(() -> write(store, writer, random)).start();
    }
  }

  private static void write(EmbeddedResourceStore store, int writer, Random random) {
    try {
      for (int round = 0; true; round++) {
        String name = "w" + writer + "-" + random.nextInt(NAMES);
        Optional<Setting> present = store.get(Setting.KIND, name);
        SettingSpec spec = new SettingSpec(round + "x".repeat(random.nextInt(3000)));
        if (present.isEmpty()) {
          acknowledge(store.create(Setting.of(name, spec)));
        } else if (random.nextInt(4) == 0) {
          store.delete(Setting.KIND, name, present.get().metadata().uid());
          System.out.println("0 " + name + " -");
        } else {
          acknowledge(store.update(present.get().withSpec(spec)));
        }
      }
    } catch (StorageException e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  private static void acknowledge(Setting setting) {
    System.out.println(
        setting.metadata().resourceVersion() + " " + setting.name() + " " + setting.spec().value());
  }
}
