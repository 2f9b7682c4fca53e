package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.layout.VolumeMeta;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Resources that a failed opening leaves, for each access that fails. */
class FailedOpeningTest {
  private static final long SIZE = 1 << 20;
  private static final int MOST = 1000;

  @TempDir private Path disk;
  private Path folder;
  private VolumeMeta meta;
  private int accesses;
  private int failing;

  @BeforeEach
  void provision() throws Exception {
    ReplicaLocation location = new ReplicaLocation("v", "r", "n", disk, "r");
    new ReplicaStorage().provision(location, SIZE);
    folder = location.directory();
    ReplicaDirectory directory = new LocalReplicaDirectory(folder);
    meta = LonghornLayout.volumeMeta(directory).orElseThrow();
    try (LocalChain chain = LocalChain.open(directory, meta, false)) {
      for (String name : List.of("a", "b")) {
        chain.layers().write(0, ByteBuffer.allocate(4096));
        chain.perform(
            new ChainOperation(name, ChainOperation.Kind.SNAPSHOT, name, true, "", Map.of(), 0));
      }
    }
    meta = LonghornLayout.volumeMeta(directory).orElseThrow();
  }

  @Test
  void noDescriptorIsLeftWhicheverAccessOfAnOpeningFails() throws Exception {
    int failures = 0;
    while (failures < MOST && !opens(failures + 1)) {
      failures++;
      assertThat(descriptors()).as("after access %d failed", failures).isEmpty();
    }
    assertThat(failures).isBetween(10, MOST - 1);
  }

  @Test
  void noDescriptorIsLeftWhicheverAccessOfASnapshotsReaderFails() throws Exception {
    failing = MOST;
    try (LocalChain chain = LocalChain.open(failing(), meta, false)) {
      List<Path> before = descriptors();
      int failures = 0;
      while (failures < MOST && !reads(chain, failures + 1)) {
        failures++;
        // An opened reader stays open for the next read.
        chain.releaseAll();
        assertThat(descriptors()).as("after access %d failed", failures).isEqualTo(before);
      }
      assertThat(failures).isBetween(3, MOST - 1);
    }
  }

  private boolean opens(int which) throws StorageException {
    fail(which);
    try {
      LocalChain.open(failing(), meta, false).close();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private boolean reads(LocalChain chain, int which) {
    fail(which);
    try {
      chain.read("b", 0, ByteBuffer.allocate(4096));
      return true;
    } catch (StorageException e) {
      return false;
    }
  }

  private void fail(int which) {
    accesses = 0;
    failing = which;
  }

  private ReplicaDirectory failing() {
    return failing(ReplicaDirectory.class, new LocalReplicaDirectory(folder));
  }

  private <T> T failing(Class<T> type, T real) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> access(method, real, arguments)));
  }

  private Object access(Method method, Object real, Object[] arguments) throws Throwable {
    boolean mayFail = List.of(method.getExceptionTypes()).contains(IOException.class);
    if (mayFail && !method.getName().equals("close") && ++accesses == failing) {
      throw new IOException("access " + failing + ", " + method.getName());
    }
    try {
      Object result = method.invoke(real, arguments);
      return result instanceof ReplicaFile file ? failing(ReplicaFile.class, file) : result;
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private List<Path> descriptors() throws IOException {
    List<Path> open = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path descriptor : all) {
        Path target = target(descriptor);
        if (target.startsWith(folder)) {
          open.add(target);
        }
      }
    }
    open.sort(null);
    return open;
  }

  private static Path target(Path descriptor) throws IOException {
    try {
      return Files.readSymbolicLink(descriptor);
    } catch (NoSuchFileException e) {
      // The descriptor of the listing itself, or of another thread.
      return descriptor;
    }
  }
}
