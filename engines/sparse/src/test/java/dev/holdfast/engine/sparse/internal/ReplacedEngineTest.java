package dev.holdfast.engine.sparse.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.HandoverEngine;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** References to a replaced version of this engine in the bundles that it used. */
class ReplacedEngineTest {
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Duration AGAIN = Duration.ofMillis(20);

  @Test
  void classesOfAStoppedEngineAreNotReachable() throws Exception {
    ReferenceQueue<ClassLoader> collected = new ReferenceQueue<>();
    WeakReference<ClassLoader> loader = usedAndStopped(collected);
    long end = System.nanoTime() + LIMIT.toNanos();
    Reference<?> found = null;
    // The last threads of the engine end later, so one garbage collection may be too early.
    while (found == null && System.nanoTime() - end < 0) {
      System.gc();
      found = collected.remove(AGAIN.toMillis());
    }
    assertThat(found).as("its class loader, collected").isSameAs(loader);
  }

  /**
   * Uses an engine as in the container: loaded separately, beside libraries and interfaces that
   * stay.
   */
  private static WeakReference<ClassLoader> usedAndStopped(ReferenceQueue<ClassLoader> collected)
      throws Exception {
    OwnClasses own = new OwnClasses();
    Class<?> type = own.loadClass(SparseEngine.class.getName());
    assertThat(type).isNotSameAs(SparseEngine.class);
    HandoverEngine engine = (HandoverEngine) type.getConstructor().newInstance();
    // Creates, opens, writes, hands over and deletes a volume.
    engine.prepare();
    type.getMethod("stop").invoke(engine);
    return new WeakReference<>(own, collected);
  }

  /** Loads a second copy of the engine's classes, and delegates all others. */
  private static final class OwnClasses extends ClassLoader {
    OwnClasses() {
      super(SparseEngine.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith(SparseEngine.class.getPackageName() + ".")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? define(name) : loaded;
      }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
      try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
        byte[] code = file.readAllBytes();
        return defineClass(name, code, 0, code.length);
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }
}
