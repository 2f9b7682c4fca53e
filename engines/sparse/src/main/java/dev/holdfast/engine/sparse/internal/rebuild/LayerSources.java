package dev.holdfast.engine.sparse.internal.rebuild;

import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.volume.LayerAccess;
import dev.holdfast.engine.sparse.rpc.LayerEntry;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The members from which layers can be copied concurrently. Each member coalesces independently, so
 * the same data may be in different layers although the content is equal. Only members with the
 * same layers are used, as long as they are members.
 */
final class LayerSources {
  private final Supplier<List<Member>> members;
  private final List<Member> alike;

  private LayerSources(Supplier<List<Member>> members, List<Member> alike) {
    this.members = members;
    this.alike = alike;
  }

  /**
   * Compares the members' layers while coalescing is stopped.
   *
   * @param members members with data; a failed one may lack the latest layer
   */
  static LayerSources of(Supplier<List<Member>> members) throws StorageException {
    List<Member> alike = new ArrayList<>();
    List<LayerEntry> layers = List.of();
    String headParent = "";
    StorageException failure = noneLeft();
    for (Member member : members.get()) {
      LayerAccess access = new LayerAccess(member);
      try {
        List<LayerEntry> found = access.list();
        String below = access.headParent();
        if (alike.isEmpty()) {
          layers = found;
          headParent = below;
        }
        if (below.equals(headParent) && RebuildPlan.alike(found, layers)) {
          alike.add(member);
        }
      } catch (StorageException e) {
        // The member may be dropped soon; the others have the layers too.
        failure = e;
      }
    }
    if (alike.isEmpty()) {
      throw failure;
    }
    return new LayerSources(members, List.copyOf(alike));
  }

  /** Returns the sources that are still members, at least one. */
  List<Member> all() throws StorageException {
    List<Member> left = members.get().stream().filter(alike::contains).toList();
    if (left.isEmpty()) {
      throw noneLeft();
    }
    return left;
  }

  private static StorageException noneLeft() {
    return new StorageException(
        ErrorCode.IO, "no replica is left that has the layers as they are copied");
  }

  /** Returns the layers of one source. */
  LayerAccess any() throws StorageException {
    return new LayerAccess(all().get(0));
  }
}
