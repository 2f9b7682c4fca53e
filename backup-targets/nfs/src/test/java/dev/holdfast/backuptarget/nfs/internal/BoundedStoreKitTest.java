package dev.holdfast.backuptarget.nfs.internal;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.testkit.ObjectStoreKit;
import dev.holdfast.fileobjects.FileObjectStore;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** The kit over files whose calls run on threads of their target. */
class BoundedStoreKitTest extends ObjectStoreKit {
  private static ExecutorService threads;

  @TempDir Path root;

  @BeforeAll
  static void begin() {
    threads = Executors.newCachedThreadPool();
  }

  @AfterAll
  static void end() {
    threads.shutdown();
  }

  @Override
  protected ObjectStore open() {
    return new BoundedObjectStore(
        "target", new FileObjectStore(root), threads, StoreOptions.DEFAULT, () -> {});
  }
}
