package dev.holdfast.attacher;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.store.LabelSelector;
import java.util.List;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Reads resources from a cache or from the store. Used only on the thread that received the reader.
 */
@ProviderType
public interface ResourceReader {

  /**
   * Reads a resource.
   *
   * @return empty if the resource does not exist, never null
   * @throws StorageException when the store cannot be read
   */
  <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
      throws StorageException;

  /**
   * Reads all resources of a kind that a selector matches, by ascending name.
   *
   * @throws StorageException when the store cannot be read
   */
  <R extends Resource<R>> List<R> list(ResourceKind<R> kind, LabelSelector selector)
      throws StorageException;
}
