package dev.holdfast.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.rule.testkit.NamedRules;
import dev.holdfast.store.ResourceStore;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** A part of the kit: opens a store for each test. */
@ExtendWith(NamedRules.class)
abstract class StoreTopic {
  final ResourceStoreKit kit;
  ResourceStore store;

  StoreTopic(ResourceStoreKit kit) {
    this.kit = kit;
  }

  @BeforeEach
  final void openStore() throws Exception {
    store = kit.open();
  }

  @AfterEach
  final void closeStore() throws Exception {
    kit.close(store);
  }

  static Setting setting(String name, String value) {
    return Setting.of(name, new SettingSpec(value));
  }

  static Volume volume(String name) {
    return Volume.of(name, VolumeSpec.EMPTY.withSize(Quantity.parse("1Gi")));
  }

  static long version(Resource<?> resource) {
    return Long.parseLong(resource.metadata().resourceVersion());
  }

  static <R extends Resource<R>> R withUid(R resource, String uid) {
    return resource.withMetadata(resource.metadata().withUid(uid));
  }

  static void assertFails(ErrorCode code, ThrowingCallable call) {
    StorageException e = catchThrowableOfType(StorageException.class, call);
    assertThat(e).as("a StorageException of code %s", code).isNotNull();
    assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
  }
}
