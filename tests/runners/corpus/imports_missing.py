# expect: crashed
# exit: 1
# log: ModuleNotFoundError
import a_library_that_is_not_there
