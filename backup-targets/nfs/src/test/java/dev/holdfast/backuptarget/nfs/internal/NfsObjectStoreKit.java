package dev.holdfast.backuptarget.nfs.internal;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.backuptarget.testkit.ObjectStoreKit;
import dev.holdfast.host.LocalHost;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;

/**
 * The kit on folders of an export, one for each test. {@link NfsTargetGuest} runs it in a virtual
 * machine.
 */
class NfsObjectStoreKit extends ObjectStoreKit {
  static final String EXPORT = "holdfast.test.nfs-export";
  static final int FOLDERS = 100;

  private static final AtomicInteger USED = new AtomicInteger();
  private static final ExportMounts MOUNTS =
      new ExportMounts(new LocalHost(), NfsTargetGuest.FOLDER.resolve("kit"), Duration.ZERO);

  private final int folder = USED.incrementAndGet();

  @Override
  protected ObjectStore open() throws Exception {
    String url = System.getProperty(EXPORT) + "/" + folder;
    return new NfsTargetProvider(MOUNTS).open(TargetUrl.parse(url), Map.of(), StoreOptions.DEFAULT);
  }

  @AfterAll
  static void unmount() {
    MOUNTS.close();
  }
}
