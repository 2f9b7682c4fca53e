package dev.holdfast.store.embedded.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.StoreBackup;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchListener;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Offers the store in {@code <holdfast.data>/store/holdfast.db} as a service. */
@Component(
    immediate = true,
    service = {ResourceStore.class, StoreBackup.class})
public final class EmbeddedStoreComponent implements ResourceStore, StoreBackup {
  static final String DATA = "holdfast.data";

  /** Where the driver unpacks its native library; the driver knows no other way to be told. */
  static final String DRIVER_DIRECTORY = "org.sqlite.tmpdir";

  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedStoreComponent.class);

  private final EmbeddedResourceStore store;

  /** Opens the store. */
  @Activate
  public EmbeddedStoreComponent(BundleContext context) throws StorageException {
    String data = context.getProperty(DATA);
    if (data == null || data.isBlank()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "the framework property "
              + DATA
              + " is not set; it must name the directory of all state");
    }
    Path directory = Path.of(data).toAbsolutePath().resolve("store");
    Path file = directory.resolve("holdfast.db");
    StoreFile.makeDirectory(directory);
    unpackDriverBelow(directory);
    store =
        new EmbeddedResourceStore(
            file, Clock.systemUTC(), EmbeddedResourceStore.DEFAULT_KEPT_CHANGES);
    LOG.info("opened the resource store {}", file);
  }

  /**
   * /tmp may be full, shared with others, or mounted noexec. What a killed process left behind is
   * removed, because the driver never does that; a library in use stays usable without its name.
   */
  private static void unpackDriverBelow(Path directory) throws StorageException {
    if (System.getProperty(DRIVER_DIRECTORY) != null) {
      return;
    }
    Path driver = directory.resolve("driver");
    try {
      Files.createDirectories(driver);
      try (DirectoryStream<Path> leftovers = Files.newDirectoryStream(driver, "sqlite-*")) {
        for (Path leftover : leftovers) {
          Files.deleteIfExists(leftover);
        }
      }
    } catch (IOException e) {
      throw StorageException.io("prepare directory " + driver, e);
    }
    System.setProperty(DRIVER_DIRECTORY, driver.toString());
  }

  @Deactivate
  void deactivate() throws StorageException {
    store.close();
    LOG.info("closed the resource store");
  }

  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
      throws StorageException {
    return store.get(kind, name);
  }

  @Override
  public <R extends Resource<R>> ResourceList<R> list(ResourceKind<R> kind, LabelSelector selector)
      throws StorageException {
    return store.list(kind, selector);
  }

  @Override
  public <R extends Resource<R>> R create(R resource) throws StorageException {
    return store.create(resource);
  }

  @Override
  public <R extends Resource<R>> R update(R resource) throws StorageException {
    return store.update(resource);
  }

  @Override
  public <R extends Resource<R>> R updateStatus(R resource) throws StorageException {
    return store.updateStatus(resource);
  }

  @Override
  public <R extends Resource<R>> Optional<R> delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException {
    return store.delete(kind, name, uid);
  }

  @Override
  public <R extends Resource<R>> Watch watch(
      ResourceKind<R> kind, String resourceVersion, WatchListener<R> listener)
      throws StorageException {
    return store.watch(kind, resourceVersion, listener);
  }

  @Override
  public void backUp(Path file) throws StorageException {
    store.backUp(file);
  }
}
