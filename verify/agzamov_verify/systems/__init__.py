"""The kinds of augmentation system that a plan may name: one module and one line here for each."""

from typing import TYPE_CHECKING, TypeAlias, Union

from .full_system import FullSystem as FullSystem
from .memory_and_tools_system import MemoryAndToolsSystem as MemoryAndToolsSystem
from .memory_system import MemorySystem as MemorySystem
from .oracle_system import OracleSystem as OracleSystem
from .rag_system import RagSystem as RagSystem
from .system import System as System
from .tools_system import ToolsSystem as ToolsSystem

if TYPE_CHECKING:  # which kinds there are, only the registry says
    AnySystem: TypeAlias = System
else:
    AnySystem = Union[tuple(System.__subclasses__())]  # noqa: UP007 - made from a list
