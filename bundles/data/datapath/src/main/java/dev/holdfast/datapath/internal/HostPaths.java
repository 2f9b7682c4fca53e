package dev.holdfast.datapath.internal;

import dev.holdfast.error.StorageException;
import java.net.URI;
import java.util.List;

/** The paths by which this host is connected to volumes. Thread-safe. Calls may block. */
interface HostPaths {
  /** Paths of a host that connects no volume by several paths. */
  HostPaths NONE =
      new HostPaths() {
        @Override
        public boolean canChange(String volume, URI endpoint) {
          return false;
        }

        @Override
        public void connect(String volume, List<URI> endpoints) {
          throw new IllegalStateException("volume " + volume + " has no paths that can change");
        }
      };

  /**
   * Returns whether this host has the volume as a device that stays usable while its paths change.
   *
   * @param endpoint present endpoint of the volume
   */
  boolean canChange(String volume, URI endpoint) throws StorageException;

  /**
   * Connects the volume by exactly these paths.
   *
   * @throws StorageException when one of them does not work afterwards
   */
  void connect(String volume, List<URI> endpoints) throws StorageException;
}
