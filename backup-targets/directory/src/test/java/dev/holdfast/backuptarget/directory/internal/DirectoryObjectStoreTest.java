package dev.holdfast.backuptarget.directory.internal;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.backuptarget.testkit.ObjectStoreKit;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

class DirectoryObjectStoreTest extends ObjectStoreKit {
  @TempDir Path root;

  @Override
  protected ObjectStore open() throws Exception {
    TargetUrl url = TargetUrl.parse("file://" + root);
    return new DirectoryTargetProvider().open(url, Map.of(), StoreOptions.DEFAULT);
  }
}
