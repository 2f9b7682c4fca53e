package dev.holdfast.store.records.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.engine.EngineProvider;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.upgrade.PluginOrigin;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

/** Ownership of engine records by bundles. */
class RecordOwnersTest {
  private final RecordOwners owners = new RecordOwners(symbolicName -> true);

  private static EngineProvider engine(String name) {
    return (EngineProvider)
        Proxy.newProxyInstance(
            RecordOwnersTest.class.getClassLoader(),
            new Class<?>[] {EngineProvider.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "name" -> name;
                  case "hashCode" -> System.identityHashCode(self);
                  case "equals" -> self == arguments[0];
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static PluginOrigin bundle(long id, String symbolicName) {
    return new PluginOrigin(id, symbolicName, "1.0.0");
  }

  private void refuses(long bundle, ErrorCode code, String part) {
    StorageException refusal =
        catchThrowableOfType(StorageException.class, () -> owners.engineOf(bundle));
    assertThat(refusal.code()).isEqualTo(code);
    assertThat(refusal).hasMessageContaining(part);
  }

  @Test
  void bundleGetsTheRecordsOfItsEngine() throws Exception {
    owners.add(engine("pooled"), bundle(7, "acme.pooled"));
    owners.add(engine("other"), bundle(8, "acme.other"));
    assertThat(owners.engineOf(7)).isEqualTo("pooled");
    assertThat(owners.engineOf(8)).isEqualTo("other");
  }

  @Test
  void twoVersionsOfOneBundleShareTheRecords() throws Exception {
    owners.add(engine("pooled"), bundle(7, "acme.pooled"));
    owners.add(engine("pooled"), bundle(9, "acme.pooled"));
    assertThat(owners.engineOf(7)).isEqualTo("pooled");
    assertThat(owners.engineOf(9)).isEqualTo("pooled");
  }

  @Test
  void bundleUnderAForeignNameIsRefused() {
    owners.add(engine("pooled"), bundle(7, "acme.pooled"));
    owners.add(engine("pooled"), bundle(8, "acme.imitation"));
    refuses(8, ErrorCode.FORBIDDEN, "records of engine pooled: the name belongs to another bundle");
  }

  @Test
  void bundleWithoutExactlyOneEngineIsRefused() {
    refuses(7, ErrorCode.INVALID, "bundle 7 offers no engine");
    EngineProvider second = engine("second");
    owners.add(engine("first"), bundle(7, "acme.both"));
    owners.add(second, bundle(7, "acme.both"));
    refuses(7, ErrorCode.INVALID, "the engines first, second");
    owners.remove(second);
    assertThat(catchThrowableOfType(StorageException.class, () -> owners.engineOf(7))).isNull();
  }
}
