package dev.holdfast.image.internal.transfer;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.AddressRule;
import dev.holdfast.imagesource.ClusterDisks;
import dev.holdfast.imagesource.ImageBody;
import dev.holdfast.imagesource.ImageRequest;
import dev.holdfast.imagesource.ImageSourceProvider;
import dev.holdfast.imagesource.SourceParameter;
import dev.holdfast.resource.image.BackingImageDataSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** The transfers of this node, and the image sources that are installed. Thread-safe. */
@Component(service = ImageTransfers.class)
public final class ImageTransfers {
  private final List<ImageSourceProvider> sources = new CopyOnWriteArrayList<>();
  private final Map<String, RunningTransfer> running = new ConcurrentHashMap<>();
  private final ExecutorService executor;

  /** Creates an object without sources. */
  @Activate
  public ImageTransfers() {
    this(
        Executors.newCachedThreadPool(
            task -> {
              Thread thread = new Thread(task, "image-transfer");
              thread.setDaemon(true);
              return thread;
            }));
  }

  /** Creates an object that works on an executor, which it shuts down when it is closed. */
  public ImageTransfers(ExecutorService executor) {
    this.executor = executor;
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  public void addSource(ImageSourceProvider source) {
    sources.add(source);
  }

  void removeSource(ImageSourceProvider source) {
    sources.remove(source);
  }

  /** Returns the installed source of a type. */
  public Optional<ImageSourceProvider> source(String type) {
    return sources.stream().filter(source -> source.name().equals(type)).findFirst();
  }

  /** Returns the file of a transfer. */
  public static Path file(BackingImageDataSource image) {
    return Path.of(image.spec().diskPath())
        .resolve("tmp")
        .resolve(image.name() + "-" + image.spec().uuid());
  }

  /** Returns whether the file of a completed transfer exists. */
  public static boolean hasFile(BackingImageDataSource image) {
    try {
      return Files.isRegularFile(file(image), LinkOption.NOFOLLOW_LINKS)
          && Files.size(file(image)) == image.status().size().bytes();
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Starts a transfer unless it runs.
   *
   * @throws StorageException INVALID if the parameters are wrong
   */
  public void start(
      BackingImageDataSource image,
      ImageSourceProvider source,
      AddressRule addresses,
      Optional<InetSocketAddress> proxy,
      ClusterDisks disks,
      long largest)
      throws StorageException {
    ImageRequest request =
        new ImageRequest(
            image.name(), image.spec().parameters(), addresses, proxy, disks, Optional.empty());
    RunningTransfer transfer = prepare(image, source, request, largest);
    if (running.putIfAbsent(key(image), transfer) == null) {
      executor.execute(transfer);
    }
  }

  /**
   * Transfers the body of a client on the thread of the caller.
   *
   * @throws StorageException BUSY while another body is being received; the failure of the transfer
   */
  public void receive(
      BackingImageDataSource image, ImageSourceProvider source, ImageBody body, long largest)
      throws StorageException {
    AddressRule none =
        address -> {
          throw new StorageException(ErrorCode.FORBIDDEN, "an upload does not connect to others");
        };
    ImageRequest request =
        new ImageRequest(
            image.name(),
            image.spec().parameters(),
            none,
            Optional.empty(),
            new NoDisks(),
            Optional.of(body));
    RunningTransfer transfer = prepare(image, source, request, largest);
    RunningTransfer other = running.putIfAbsent(key(image), transfer);
    if (other != null) {
      throw new StorageException(
          ErrorCode.BUSY,
          "image "
              + image.name()
              + ": "
              + (other.isOver() ? "it was" : "it is being")
              + " uploaded already");
    }
    transfer.run();
    TransferReport report = transfer.observe();
    if (report.failure().isPresent()) {
      throw new StorageException(report.failure().get(), report.message());
    }
  }

  private static RunningTransfer prepare(
      BackingImageDataSource image, ImageSourceProvider source, ImageRequest request, long largest)
      throws StorageException {
    requireParameters(image, source);
    return new RunningTransfer(source, request, file(image), largest, image.spec().checksum());
  }

  /** Refuses undeclared and missing parameters of the source. */
  private static void requireParameters(BackingImageDataSource image, ImageSourceProvider source)
      throws StorageException {
    Map<String, String> given = image.spec().parameters();
    String known =
        source.parameters().stream().map(SourceParameter::name).collect(Collectors.joining(", "));
    for (String name : given.keySet()) {
      if (source.parameters().stream().noneMatch(p -> p.name().equals(name))) {
        throw wrong(image, name, "image source " + source.name() + " has only: " + known);
      }
    }
    for (SourceParameter parameter : source.parameters()) {
      if (parameter.required() && given.getOrDefault(parameter.name(), "").isEmpty()) {
        throw wrong(image, parameter.name(), "a value is required: " + parameter.description());
      }
    }
  }

  private static StorageException wrong(BackingImageDataSource image, String name, String why) {
    return new StorageException(
        ErrorCode.INVALID,
        "image " + image.name() + ": spec.sourceParameters[" + name + "]: " + why);
  }

  /** Returns the progress of a transfer; empty if none was started on this node. */
  public Optional<TransferReport> report(BackingImageDataSource image) {
    return Optional.ofNullable(running.get(key(image))).map(RunningTransfer::observe);
  }

  /** Removes an ended transfer, so that it can start again. */
  public void forget(BackingImageDataSource image) {
    running.computeIfPresent(key(image), (key, transfer) -> transfer.isOver() ? null : transfer);
  }

  /**
   * Ends a transfer.
   *
   * @return whether it has ended
   */
  public boolean stop(BackingImageDataSource image) {
    RunningTransfer transfer = running.get(key(image));
    if (transfer != null) {
      transfer.end("the transfer was ended");
      forget(image);
    }
    return running.get(key(image)) == null;
  }

  /** Removes the file of an ended transfer. */
  public static void deleteFile(BackingImageDataSource image) throws StorageException {
    TransferFile.delete(file(image));
  }

  private static String key(BackingImageDataSource image) {
    return image.spec().uuid() + "@" + image.spec().diskUUID();
  }

  /** Ends all transfers; their files stay. */
  @Deactivate
  public void close() {
    running.values().forEach(transfer -> transfer.end("this node stops"));
    executor.shutdownNow();
  }
}
