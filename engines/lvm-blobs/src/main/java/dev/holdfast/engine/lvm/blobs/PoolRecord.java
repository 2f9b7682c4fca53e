package dev.holdfast.engine.lvm.blobs;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The blobs of one thin pool, or one linear blob, and who uses them. Written before a command runs.
 *
 * @param id of the pool: the name of its first blob
 * @param node that has the group, empty when the group is shared
 * @param options of its blobs
 * @param blobs in the order of their creation
 * @param attachments in the order of their creation
 * @param place where the pool of a shared group is active
 */
record PoolRecord(
    String id,
    String node,
    BlobOptions options,
    List<RecordedBlob> blobs,
    List<Attachment> attachments,
    PoolPlace place) {
  PoolRecord {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(place, "place");
    blobs = List.copyOf(blobs);
    attachments = List.copyOf(attachments);
  }

  static PoolRecord empty(String id, String node, BlobOptions options) {
    return new PoolRecord(id, node, options, List.of(), List.of(), PoolPlace.NONE);
  }

  /** Returns whether the pool is in a group that several nodes use. */
  boolean isShared() {
    return node.isEmpty();
  }

  boolean isThin() {
    return options.mode() == BlobMode.THIN;
  }

  Optional<RecordedBlob> blob(String name) {
    return blobs.stream().filter(blob -> blob.name().equals(name)).findFirst();
  }

  List<Attachment> attachments(String blob) {
    return attachments.stream().filter(attachment -> attachment.blob().equals(blob)).toList();
  }

  /** Returns the attachments of a blob on one node. */
  List<Attachment> attachments(String blob, String on) {
    return attachments(blob).stream().filter(attachment -> attachment.node().equals(on)).toList();
  }

  /** Returns the nodes on which a blob of the pool is attached. */
  Set<String> users() {
    return attachments.stream()
        .map(Attachment::node)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the names of the blobs that are devices of a node. */
  Set<String> attachedOn(String on) {
    return attachments.stream()
        .filter(attachment -> attachment.node().equals(on) && !attachment.leaving())
        .map(Attachment::blob)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the names of the blobs that are devices of a node, or still may be. */
  Set<String> usedOn(String on) {
    return attachments.stream()
        .filter(attachment -> attachment.node().equals(on))
        .map(Attachment::blob)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the names of the blobs that are devices of other nodes than one, or still may be. */
  Set<String> attachedBeside(String active) {
    return attachments.stream()
        .filter(attachment -> !attachment.node().equals(active))
        .map(Attachment::blob)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private PoolRecord of(List<RecordedBlob> nextBlobs, List<Attachment> nextAttachments) {
    return new PoolRecord(id, node, options, nextBlobs, nextAttachments, place);
  }

  /** Returns the record with a blob added or replaced. */
  PoolRecord with(RecordedBlob blob) {
    return of(replaced(blobs, b -> b.name().equals(blob.name()), blob), attachments);
  }

  /** Returns the record without a blob. */
  PoolRecord without(String blob) {
    return of(blobs.stream().filter(b -> !b.name().equals(blob)).toList(), attachments);
  }

  /** Returns the record with an attachment added or replaced. */
  PoolRecord with(Attachment attachment) {
    return of(blobs, replaced(attachments, a -> a.isSame(attachment), attachment));
  }

  /** Returns the record without an attachment. */
  PoolRecord without(Attachment attachment) {
    return of(blobs, attachments.stream().filter(a -> !a.isSame(attachment)).toList());
  }

  /** Returns the record with another place of its pool. */
  PoolRecord at(PoolPlace next) {
    return new PoolRecord(id, node, options, blobs, attachments, next);
  }

  private static <T> List<T> replaced(List<T> list, Predicate<T> same, T value) {
    List<T> next = new ArrayList<>(list);
    int at = 0;
    while (at < next.size() && !same.test(next.get(at))) {
      at++;
    }
    if (at < next.size()) {
      next.set(at, value);
    } else {
      next.add(value);
    }
    return next;
  }

  /** Returns whether a node uses a thin pool, is or becomes its active node, or is connected. */
  boolean concerns(String node) {
    return isThin()
        && (users().contains(node)
            || place().activeOn().equals(node)
            || place().wantedOn().equals(node)
            || place().connection(node) != 0);
  }

  /**
   * A use of a blob as a device.
   *
   * @param blob name of the blob
   * @param node whose device it is
   * @param cookie of the user
   * @param leaving whether it is being withdrawn, as the last one of its blob
   */
  record Attachment(String blob, String node, String cookie, boolean leaving) {
    Attachment {
      Objects.requireNonNull(blob, "blob");
      Objects.requireNonNull(node, "node");
      if (cookie.isEmpty()) {
        throw new IllegalArgumentException("cookie: must not be empty");
      }
    }

    Attachment in(boolean leaves) {
      return new Attachment(blob, node, cookie, leaves);
    }

    /** Returns whether it is the same use, leaving or not. */
    boolean isSame(Attachment other) {
      return blob.equals(other.blob) && node.equals(other.node) && cookie.equals(other.cookie);
    }
  }
}
