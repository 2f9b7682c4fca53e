package dev.holdfast.backuptarget.s3.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import java.io.File;
import java.lang.ref.WeakReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A replaced bundle is collected: neither a thread nor a cache of the SDK holds its classes. */
class ReplacedBundleTest {
  private static final int COLLECTIONS = 100;

  /** Loads the bundle's own classes and those of its libraries again, as a container does. */
  private static final class BundleLoader extends URLClassLoader {
    private static final List<String> OWN =
        List.of("dev.holdfast.backuptarget.s3.", "software.amazon.", "org.apache.", "org.reactive");

    BundleLoader(URL[] classPath) {
      super(classPath, ReplacedBundleTest.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (OWN.stream().noneMatch(name::startsWith)) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? findClass(name) : loaded;
      }
    }
  }

  private static URL[] classPath() throws MalformedURLException {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    return urls.toArray(URL[]::new);
  }

  @Test
  void classesOfAClosedStoreAreCollected() throws Exception {
    try (FakeS3 server =
        new FakeS3((exchange, number) -> FakeS3.send(exchange, 200, "", "ETag", "\"abc\""))) {
      WeakReference<ClassLoader> replaced = used(server);

      for (int i = 0; i < COLLECTIONS && replaced.get() != null; i++) {
        System.gc();
      }
      assertThat(replaced.get()).as("loader of the replaced bundle").isNull();
    }
  }

  private static WeakReference<ClassLoader> used(FakeS3 server) throws Exception {
    BundleLoader loader = new BundleLoader(classPath());
    Class<?> type = loader.loadClass(S3TargetProvider.class.getName());
    assertThat(type).isNotSameAs(S3TargetProvider.class);
    BackupTargetProvider provider =
        (BackupTargetProvider) type.getDeclaredConstructor().newInstance();
    try (ObjectStore store =
        provider.open(
            TargetUrl.parse("s3://bucket-1@eu-test-1/"),
            server.credentials(),
            StoreOptions.DEFAULT)) {
      store.put("key", List.of(ByteBuffer.wrap(new byte[] {1})), PutOptions.REPLACE);
      store.delete(List.of("key"));
    }
    loader.close();
    return new WeakReference<>(loader);
  }
}
