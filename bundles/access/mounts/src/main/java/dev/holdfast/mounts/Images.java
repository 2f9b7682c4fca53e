package dev.holdfast.mounts;

import dev.holdfast.certificates.files.MemberCredential;
import dev.holdfast.client.Attachments;
import dev.holdfast.client.Snapshots;
import dev.holdfast.client.StoreEditor;
import dev.holdfast.client.VolumeRequest;
import dev.holdfast.client.Waiting;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Imports disk images into volumes and exports them, on this host, through the volume's NBD
 * endpoint. Keeps holes in both directions.
 */
public final class Images {
  private static final long BLOCK = 4096;
  private static final long SMALLEST = 1 << 20;

  private final ResourceStore store;
  private final StoreEditor editor;
  private final Clock clock;
  private final Path data;

  /**
   * Creates the operations for volumes of a store.
   *
   * @param data state directory of this host: copies use the sockets of the nodes on this machine
   *     if possible, otherwise the certificate of the node with this directory
   */
  public Images(ResourceStore store, Clock clock, Path data) {
    this.data = data;
    this.store = store;
    this.editor = new StoreEditor(store);
    this.clock = clock;
  }

  /**
   * Creates a volume from an image. After an interruption the volume remains with a mark in its
   * annotations, and the same call repeats the import.
   *
   * @param request the volume without a size, or with a size that suffices for the image
   * @param waiting wait for the attachment; the copy has no time limit
   * @throws StorageException INVALID; ALREADY_EXISTS when the volume exists and is not an
   *     unfinished import; UNSUPPORTED without qemu-img; TIMEOUT; IO
   */
  public Volume importImage(VolumeRequest request, DiskImage image, Waiting waiting)
      throws StorageException {
    String program = HostProgram.require("qemu-img", "qemu-utils").toString();
    Volume volume = prepare(request, image);
    copyIn(program, volume, image, waiting);
    return editor.edit(Volume.KIND, volume.name(), v -> annotated(v, Optional.empty()));
  }

  private Volume prepare(VolumeRequest request, DiskImage image) throws StorageException {
    Quantity size = size(request, image);
    Optional<Volume> present = store.get(Volume.KIND, request.name());
    if (present.isEmpty()) {
      Volume wanted = request.withSize(size.toString()).toVolume();
      return store.create(annotated(wanted, Optional.of(image.file().toString())));
    }
    boolean unfinished =
        present.get().metadata().annotations().containsKey(Volume.IMPORT_UNFINISHED_ANNOTATION);
    if (!unfinished || present.get().isBeingDeleted()) {
      throw new StorageException(
          ErrorCode.ALREADY_EXISTS,
          "volume " + request.name() + " exists, and is not an interrupted import");
    }
    if (present.get().spec().size().compareTo(size) < 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume "
              + request.name()
              + " has "
              + present.get().spec().size()
              + ", the image needs "
              + size
              + ": delete it, and import again");
    }
    return editor.edit(
        Volume.KIND, request.name(), v -> annotated(v, Optional.of(image.file().toString())));
  }

  private static Quantity size(VolumeRequest request, DiskImage image) throws StorageException {
    long blocks = Math.addExact(image.sizeBytes(), BLOCK - 1) / BLOCK;
    Quantity needed = new Quantity(Math.max(blocks * BLOCK, SMALLEST));
    if (request.size().isEmpty()) {
      return needed;
    }
    Quantity wanted = VolumeRequest.quantity(request.name(), request.size());
    if (wanted.compareTo(needed) < 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume " + request.name() + ": spec.size: the image needs at least " + needed);
    }
    return wanted;
  }

  /** Records the unfinished import in a volume's annotations, empty after the import. */
  static Volume annotated(Volume volume, Optional<String> file) {
    Map<String, String> annotations = new LinkedHashMap<>(volume.metadata().annotations());
    annotations.remove(Volume.IMPORT_UNFINISHED_ANNOTATION);
    file.ifPresent(path -> annotations.put(Volume.IMPORT_UNFINISHED_ANNOTATION, path));
    return volume.withMetadata(volume.metadata().withAnnotations(annotations));
  }

  private void copyIn(String program, Volume volume, DiskImage image, Waiting waiting)
      throws StorageException {
    Attachments attachments = new Attachments(store);
    String ticket = "api-import-" + UUID.randomUUID();
    try {
      Volume attached = attachments.attachFor(volume.name(), ticket, node(), waiting);
      ImageEndpoint target = ImageEndpoint.of(attached.status().endpoint(), data);
      waiting.progress().accept("volume " + volume.name() + ": copies " + image.file());
      // Output of qemu-img is only durable with a cache mode that flushes at the end.
      convert(
          program,
          target,
          List.of(
              "-n",
              "-t",
              "writeback",
              "-f",
              image.format().toString(),
              "-O",
              "raw",
              plain(image.file()),
              target.image()),
          "volume " + volume.name(),
          waiting);
    } finally {
      attachments.releaseTicket(volume.name(), ticket, waiting);
    }
  }

  /** Returns the path in a form in which qemu-img does not treat a colon as a protocol. */
  private static String plain(Path file) {
    return file.toAbsolutePath().toString();
  }

  private Optional<String> node() throws StorageException {
    return MemberCredential.nodeOf(data);
  }

  private static void convert(
      String program,
      ImageEndpoint endpoint,
      List<String> arguments,
      String subject,
      Waiting waiting)
      throws StorageException {
    List<String> all = new ArrayList<>(endpoint.options());
    all.addAll(arguments);
    new Conversion(subject, waiting.progress()).run(program, all);
  }

  /**
   * Writes the content of a volume into a file, which appears when it is complete. A volume in use
   * is exported through a snapshot.
   *
   * @param snapshot the snapshot to export, empty to take a temporary one
   * @param file the new file, which must not exist
   * @throws StorageException NOT_FOUND; ALREADY_EXISTS; UNSUPPORTED without qemu-img; TIMEOUT; IO
   */
  public DiskImage exportImage(
      String volume, Optional<String> snapshot, Path file, DiskImage.Format format, Waiting waiting)
      throws StorageException {
    String program = HostProgram.require("qemu-img", "qemu-utils").toString();
    if (Files.exists(file)) {
      throw new StorageException(ErrorCode.ALREADY_EXISTS, file + " exists");
    }
    Snapshots snapshots = new Snapshots(store, clock);
    String lease = UUID.randomUUID().toString();
    Snapshot source =
        snapshot.isPresent()
            ? snapshots.get(volume, snapshot.get())
            : snapshots.create(
                volume,
                Optional.of("export-" + lease),
                ExportLease.ofNewSnapshot(lease, clock),
                Waiting.none());
    try {
      return copyOut(program, source, lease, file, format, waiting);
    } finally {
      if (snapshot.isEmpty()) {
        snapshots.delete(volume, source.name(), Waiting.none());
      }
    }
  }

  private DiskImage copyOut(
      String program,
      Snapshot source,
      String id,
      Path file,
      DiskImage.Format format,
      Waiting waiting)
      throws StorageException {
    Path part = file.resolveSibling(file.getFileName() + ".part");
    try (ExportLease lease = ExportLease.take(source, id, store, clock)) {
      Snapshot shown =
          new Snapshots(store, clock)
              .await(
                  source,
                  waiting,
                  s -> Optional.of(s).filter(x -> !x.status().endpoint().isEmpty()));
      String endpoint = shown.status().endpoint();
      waiting.progress().accept(Snapshots.label(source) + ": copies into " + file);
      // A ticket admits this node where another machine serves the volume.
      Optional<String> node = ImageEndpoint.isLocal(endpoint, data) ? Optional.empty() : node();
      if (node.isPresent()) {
        lease.admit(node.get());
      }
      ImageEndpoint image = ImageEndpoint.of(endpoint, data);
      convert(
          program,
          image,
          List.of("-f", "raw", "-O", format.toString(), image.image(), plain(part)),
          Snapshots.label(source),
          waiting);
      DiskImage written = DiskImage.inspect(part, Optional.of(format));
      requireWhole(shown, written);
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
      return new DiskImage(file, format, written.sizeBytes());
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    } finally {
      deleteQuietly(part);
    }
  }

  private static void requireWhole(Snapshot source, DiskImage written) throws StorageException {
    long expected = source.status().restoreSize().bytes();
    if (written.sizeBytes() != expected) {
      throw new StorageException(
          ErrorCode.IO,
          Snapshots.label(source)
              + ": has "
              + expected
              + " bytes, the image "
              + written.sizeBytes());
    }
  }

  private static void deleteQuietly(Path part) {
    try {
      Files.deleteIfExists(part);
    } catch (IOException e) {
      part.toFile().deleteOnExit();
    }
  }
}
